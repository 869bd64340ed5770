import { z } from 'zod'
import type { AdminClient } from '../../admin/client'
import { platformMakesSecret, RELAY_SOURCES } from '../../domain/relays/relay'
import { iso, table } from '../output'
import { APP_ARGUMENT, clientCommand, group, text } from './build'
import { legsOf, textOfLegs } from './plan'

const RELAY_ARGUMENT = z.object({ relayId: z.string().describe('<relay>  its id') })
const SECRET = text('--secret <text>  of a platform that makes it: its signing secret')

export const relayCommands = () =>
  group(
    'relay',
    'platforms that make codes of their own, which this server delivers',
    'add app_4k2m9x0c7q1z login --source supabase',
    {
      add: clientCommand({
        summary: 'let a platform hand over its codes, and show the URL and the secret for its settings',
        examples: [
          'app_4k2m9x0c7q1z login --source supabase',
          'app_4k2m9x0c7q1z login --source logto --mode test',
          'app_4k2m9x0c7q1z login --source plain --legs whatsapp:8,sms',
        ],
        input: APP_ARGUMENT.extend({
          name: z.string().describe('<name>  its name, such as login'),
          source: z.enum(RELAY_SOURCES).describe(RELAY_SOURCES.join(', ')),
          mode: z
            .enum(['live', 'test'])
            .default('live')
            .describe('live, or test: nothing is sent, and the console shows the codes'),
          secret: SECRET,
          template: text("--template <id>  a template of the app instead of the platform's text"),
          legs: text('--legs <legs>  a delivery plan of its own, as in `plan set`'),
        }),
        run: async (client, { template: templateId, legs, ...wanted }) => {
          const plan = legs === undefined ? undefined : legsOf(legs)
          return shownNew(await client.relays.create({ ...wanted, templateId, legs: plan }))
        },
        lines: newLines,
      }),
      list: clientCommand({
        summary: 'list the relays of an app, without their secrets',
        examples: ['app_4k2m9x0c7q1z'],
        input: APP_ARGUMENT,
        run: async (client, { appId }) => ({ relays: (await client.relays.list({ appId })).relays.map(shown) }),
        lines: ({ relays }) =>
          table(
            ['RELAY', 'NAME', 'SOURCE', 'MODE', 'LEGS', 'URL'],
            relays.map(({ relayId, name, source, mode, legs, url }) => [relayId, name, source, mode, legs ?? '', url]),
            'No relays. `watchword relay add` makes one.',
          ),
      }),
      secret: clientCommand({
        summary: 'change the secret of a relay; the one before is taken for one more day',
        examples: ['rly_4k2m9x0c7q1z'],
        input: RELAY_ARGUMENT.extend({ secret: SECRET }),
        run: async (client, wanted) => shownNew(await client.relays.changeSecret(wanted)),
        lines: newLines,
      }),
      remove: clientCommand({
        summary: 'remove a relay; its platform is refused from then on',
        examples: ['rly_4k2m9x0c7q1z --yes'],
        input: RELAY_ARGUMENT,
        confirmation: (_, { relayId }) => `Remove the relay ${relayId}? Its platform can send no codes any more.`,
        run: async (client, { relayId }) => {
          await client.relays.remove({ relayId })
          return { relayId, removed: true }
        },
        lines: ({ relayId }) => [`Removed relay ${relayId}`],
      }),
    },
  )

type ListedRelay = Awaited<ReturnType<AdminClient['relays']['list']>>['relays'][number]

const shown = ({ relayId, appId, name, source, mode, url, templateId, legs, createdAt }: ListedRelay) => ({
  ...{ relayId, appId, name, source, mode, url },
  ...(templateId !== undefined && { templateId }),
  ...(legs && { legs: textOfLegs(legs) }),
  createdAt: iso(createdAt),
})

const shownNew = ({ secret, ...relay }: ListedRelay & { secret?: string | undefined }) => ({
  ...shown(relay),
  ...(secret !== undefined && { secret }),
  isReady: relay.isReady,
})

function newLines({ relayId, source, url, secret, isReady }: ReturnType<typeof shownNew>): string[] {
  return [
    `Relay ${relayId} takes codes of ${source}: POST ${url}`,
    ...(secret === undefined ? [] : [`Its secret, which is shown only now: ${secret}`]),
    ...(platformMakesSecret(source) && !isReady
      ? [
          `${source} makes the secret. Give it by \`watchword relay secret ${relayId} --secret …\`: until then it is refused.`,
        ]
      : []),
  ]
}
