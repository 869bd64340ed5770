import { z } from 'zod'
import type { Route } from '../../domain/delivery/route'
import { CHANNELS, LEGS } from '../../domain/shared/value'
import { type ExplainedLeg, explainRoute } from '../../usecases/explain-route'
import { asChannel, asLeg } from '../command'
import { inspectorOf } from '../open'
import { iso, table } from '../output'
import { APP_OPTION, adminCommand, clientCommand, group, NO_INPUT, text } from './build'

/** As typed on the command line. */
const scope = z.object({
  channel: z.string().describe(`<channel>  ${LEGS.join(', ')}`),
  country: text('--country <code>  only this country, for example KR'),
  appId: text('--app <id>  only this app'),
})

type RouteScope = Pick<Route, 'channel'> & { country?: string | undefined; appId?: string | undefined }

const scopeOf = ({ channel, country, appId }: z.infer<typeof scope>): RouteScope => ({
  ...{ channel: asLeg(channel), country, appId },
})

const isSame = (a: RouteScope, b: RouteScope) =>
  a.channel === b.channel && a.country === b.country && a.appId === b.appId

export const lineOf = ({ channel, country, appId, providers }: RouteScope & { providers: readonly string[] }) =>
  `${channel}${country ? ` to ${country}` : ''}${appId ? ` of ${appId}` : ''}: ${providers.join(', then ')}`

function legLines({ channel, waitSec, isAbsent, route, carriers }: ExplainedLeg): string[] {
  const whose = route && [route.country, route.appId].filter(Boolean).join(' of ')
  const by = route ? `the route${whose ? ` for ${whose}` : ' of every country'}` : 'no route'
  const wait = waitSec === undefined ? '' : `, the next leg after ${waitSec} s`
  return [
    `${channel}, by ${by}${wait}${isAbsent ? '; the phone is not on it' : ''}:`,
    ...table(
      ['CARRIER', 'STATE', ''],
      carriers.map(({ name, state, since, code, explanation = '' }) => [
        ...[
          name,
          since === undefined ? state : `${state} since ${iso(since)}`,
          [code, explanation].filter(Boolean).join(': '),
        ],
      ]),
      'No carrier serves it.',
    ),
  ]
}

export const routeCommands = () =>
  group('route', 'which carriers deliver a channel, and in which order', 'set sms main,backup', {
    set: clientCommand({
      summary: 'set a route; the most specific one applies',
      examples: ['sms main,backup', 'sms backup --country GB'],
      input: scope.extend({ carriers: z.string().describe('<carriers>  carriers, separated by commas') }),
      run: async (client, { carriers, ...typed }) => {
        const providers = carriers
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean)
        await client.carriers.setRoute({ ...scopeOf(typed), providers })
        return { ...scopeOf(typed), providers }
      },
      lines: (route) => [lineOf(route)],
    }),
    list: clientCommand({
      summary: 'list routes; a channel without one uses every carrier it has',
      ...NO_INPUT,
      run: (client) => client.carriers.routes(),
      lines: ({ routes }) =>
        table(
          ['CHANNEL', 'COUNTRY', 'APP', 'CARRIERS'],
          routes.map(({ channel, country = 'any', appId = 'any', providers }) => [
            ...[channel, country, appId, providers.join(', then ')],
          ]),
          'No routes yet: every carrier of a channel serves it. `watchword route set` names an order.',
        ),
    }),
    explain: adminCommand({
      summary: 'say which carrier would get a code for a number now, and why; nothing is sent or stored',
      examples: ['--app app_4k2m9x0c7q1z --to +821012345678'],
      input: APP_OPTION.extend({
        to: z.string().describe('--to <number>  phone number'),
        channel: z.string().default('sms').describe(CHANNELS.join(' or ')),
        kind: z.enum(['sk', 'pk']).default('sk').describe('kind of key that asks for the code: sk or pk'),
      }),
      run: (admin, { channel, ...asked }) =>
        explainRoute(
          { ...admin, ...inspectorOf(admin), prices: admin.config.prices },
          { ...asked, channel: asChannel(channel) },
        ),
      json: ({ legs, ...explained }) => ({
        ...explained,
        legs: legs.map((leg) => ({
          ...leg,
          carriers: leg.carriers.map(({ since, ...row }) => ({ ...row, since: iso(since) })),
        })),
      }),
      lines: ({ country = 'unknown', isPlanned, refusals, legs }) => [
        `Country ${country}, ${isPlanned ? 'by a delivery plan of the app' : 'without a delivery plan'}.`,
        refusals.length > 0
          ? `It would be refused: ${refusals.join(', ')}.`
          : 'Lists, locks and credit allow it. Caps and conversion rules are counted by the server; the console shows them.',
        ...legs.flatMap(legLines),
      ],
    }),
    remove: clientCommand({
      summary: 'remove a route',
      examples: ['sms --country GB --yes'],
      input: scope,
      confirmation: async (client, typed) => {
        const scope = scopeOf(typed)
        const known = (await client.carriers.routes()).routes.find((route) => isSame(route, scope))
        return known && `Remove the route ${lineOf(known)}?`
      },
      run: async (client, typed) => {
        const scope = scopeOf(typed)
        await client.carriers.removeRoute(scope)
        return { ...scope, removed: true }
      },
      lines: () => ['Removed'],
    }),
  })
