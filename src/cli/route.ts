import type { Command } from 'commander'
import type { Route } from '../domain/route'
import { CHANNELS } from '../domain/value'
import * as administer from '../usecases/administer'
import { asChannel, type CommonOptions, command, onData, onDataCommand, removalCommand } from './command'
import { type Confirmable, confirm } from './confirm'
import { adminOf } from './open'
import { table } from './output'

interface RouteOptions extends CommonOptions {
  country?: string
  app?: string
}

const whomOf = (channel: string, { country, app }: RouteOptions): Omit<Route, 'carriers'> => ({
  channel: asChannel(channel),
  country,
  appId: app,
})

const isSame = (a: Omit<Route, 'carriers'>, b: Omit<Route, 'carriers'>) =>
  a.channel === b.channel && a.country === b.country && a.appId === b.appId

/** As the command line has always written them. */
const jsonOf = ({ carriers, ...route }: Route) => ({ ...route, providers: carriers })

const lineOf = ({ channel, country, appId, carriers }: Route) =>
  `${channel}${country ? ` to ${country}` : ''}${appId ? ` of ${appId}` : ''}: ${carriers.join(', then ')}`

export function routeCommands(): Command {
  const route = command('route', 'which carriers deliver a channel, and in which order', 'route set sms main,backup')
  const scoped = (command: Command) =>
    command
      .argument('<channel>', CHANNELS.join(' or '))
      .option('--country <code>', 'only to this country, for example KR')
      .option('--app <id>', 'only of this app')
  route.addCommand(
    scoped(
      onDataCommand(
        'set',
        'set a route; the most specific one counts',
        'route set sms main,backup',
        'route set sms backup --country GB',
      ),
    )
      .argument('<carriers>', 'carriers, separated by commas')
      .action((channel: string, names: string, options: RouteOptions) =>
        onData(options, async (opened, output) => {
          const carriers = names
            .split(',')
            .map((name) => name.trim())
            .filter(Boolean)
          const set = await administer.setRoute(adminOf(opened), { ...whomOf(channel, options), carriers })
          output(jsonOf(set), [lineOf(set)])
        }),
      ),
  )
  route.addCommand(
    onDataCommand('list', 'list routes; a channel without one uses every carrier it has', 'route list').action(
      (options: CommonOptions) =>
        onData(options, async ({ store }, output) => {
          const routes = await store.read.routes.all()
          output(
            { routes: routes.map(jsonOf) },
            table(
              ['CHANNEL', 'COUNTRY', 'APP', 'CARRIERS'],
              routes.map(({ channel, country, appId, carriers }) => [
                channel,
                country ?? 'any',
                appId ?? 'any',
                carriers.join(', then '),
              ]),
              'No routes yet: every carrier of a channel serves it. `watchword route set` names an order.',
            ),
          )
        }),
    ),
  )
  route.addCommand(
    scoped(removalCommand('remove', 'remove a route', 'route remove sms --country GB --yes')).action(
      (channel: string, options: RouteOptions & Confirmable) =>
        onData(options, async (opened, output) => {
          const whom = whomOf(channel, options)
          const known = (await opened.store.read.routes.all()).find((route) => isSame(route, whom))
          if (known) await confirm(options, `Remove the route ${lineOf(known)}?`)
          await administer.removeRoute(adminOf(opened), whom)
          output({ ...whom, removed: true }, ['Removed'])
        }),
    ),
  )
  return route
}
