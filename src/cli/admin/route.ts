import { z } from 'zod'
import type { Route } from '../../domain/delivery/route'
import { LEGS } from '../../domain/shared/value'
import * as administer from '../../usecases/administer'
import { asLeg } from '../command'
import { table } from '../output'
import { adminCommand, group, NO_INPUT, text } from './build'

/** As typed on the command line. */
const scope = z.object({
  channel: z.string().describe(`<channel>  ${LEGS.join(', ')}`),
  country: text('--country <code>  only this country, for example KR'),
  appId: text('--app <id>  only this app'),
})

type RouteScope = Omit<Route, 'carriers'>

const scopeOf = ({ channel, country, appId }: z.infer<typeof scope>): RouteScope => ({
  ...{ channel: asLeg(channel), country, appId },
})

const isSame = (a: RouteScope, b: RouteScope) =>
  a.channel === b.channel && a.country === b.country && a.appId === b.appId

/** Keeps the format that scripts already parse. */
const jsonOf = ({ carriers, ...route }: Route) => ({ ...route, providers: carriers })

export const lineOf = ({ channel, country, appId, carriers }: Route) =>
  `${channel}${country ? ` to ${country}` : ''}${appId ? ` of ${appId}` : ''}: ${carriers.join(', then ')}`

export const routeCommands = () =>
  group('route', 'which carriers deliver a channel, and in which order', 'set sms main,backup', {
    set: adminCommand({
      summary: 'set a route; the most specific one applies',
      examples: ['sms main,backup', 'sms backup --country GB'],
      input: scope.extend({ carriers: z.string().describe('<carriers>  carriers, separated by commas') }),
      run: (admin, { carriers, ...typed }) => {
        const names = carriers.split(',').map((name) => name.trim())
        return administer.setRoute(admin, { ...scopeOf(typed), carriers: names.filter(Boolean) })
      },
      json: jsonOf,
      lines: (route) => [lineOf(route)],
    }),
    list: adminCommand({
      summary: 'list routes; a channel without one uses every carrier it has',
      ...NO_INPUT,
      run: async ({ store }) => ({ routes: (await store.read.routes.all()).map(jsonOf) }),
      lines: ({ routes }) =>
        table(
          ['CHANNEL', 'COUNTRY', 'APP', 'CARRIERS'],
          routes.map(({ channel, country = 'any', appId = 'any', providers }) => [
            ...[channel, country, appId, providers.join(', then ')],
          ]),
          'No routes yet: every carrier of a channel serves it. `watchword route set` names an order.',
        ),
    }),
    remove: adminCommand({
      summary: 'remove a route',
      examples: ['sms --country GB --yes'],
      input: scope,
      confirmation: async ({ store }, typed) => {
        const scope = scopeOf(typed)
        const known = (await store.read.routes.all()).find((route) => isSame(route, scope))
        return known && `Remove the route ${lineOf(known)}?`
      },
      run: async (admin, typed) => {
        const scope = scopeOf(typed)
        await administer.removeRoute(admin, scope)
        return { ...scope, removed: true }
      },
      lines: () => ['Removed'],
    }),
  })
