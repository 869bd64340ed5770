import { Command } from 'commander'
import type { Route } from '../domain/route'
import * as administer from '../usecases/administer'
import { asChannel, type CommonOptions, onData, onDataCommand } from './command'
import { adminOf } from './open'

interface RouteOptions extends CommonOptions {
  country?: string
  app?: string
}

const whomOf = (channel: string, { country, app }: RouteOptions): Omit<Route, 'providers'> => ({
  channel: asChannel(channel),
  country,
  appId: app,
})

const lineOf = ({ channel, country, appId, providers }: Route) =>
  `${channel}${country ? ` to ${country}` : ''}${appId ? ` of ${appId}` : ''}: ${providers.join(', then ')}`

export function routeCommands(): Command {
  const route = new Command('route').description('which carriers deliver a channel, and in which order')
  const scoped = (name: string, summary: string) =>
    onDataCommand(name, summary)
      .argument('<channel>', 'sms or alimtalk')
      .option('--country <code>', 'only to this country, for example KR')
      .option('--app <id>', 'only of this app')
  route.addCommand(
    scoped('set', 'set a route; the most specific one counts')
      .argument('<names>', 'carriers, separated by commas')
      .action((channel: string, names: string, options: RouteOptions) =>
        onData(options, async (opened, output) => {
          const providers = names
            .split(',')
            .map((name) => name.trim())
            .filter(Boolean)
          const set = await administer.setRoute(adminOf(opened), { ...whomOf(channel, options), providers })
          output(set, [lineOf(set)])
        }),
      ),
  )
  route.addCommand(
    onDataCommand('list', 'list routes; a channel without one uses every carrier it has').action(
      (options: CommonOptions) =>
        onData(options, async ({ store }, output) => {
          const routes = await store.read.routes()
          output({ routes }, routes.map(lineOf))
        }),
    ),
  )
  route.addCommand(
    scoped('remove', 'remove a route').action((channel: string, options: RouteOptions) =>
      onData(options, async (opened, output) => {
        const whom = whomOf(channel, options)
        await administer.removeRoute(adminOf(opened), whom)
        output({ ...whom, removed: true }, ['Removed'])
      }),
    ),
  )
  return route
}
