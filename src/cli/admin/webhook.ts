import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { EVENT_TYPES, HOOK_EVENT_TYPES, type HookEventType } from '../../../contract/constants'
import type { AdminClient } from '../../admin/client'
import { at, eventType, mode } from '../../admin/contract/base'
import { webhooks } from '../../admin/contract/webhooks'
import { isLoopback } from '../../domain/webhooks/target-address'
import { headersOf } from '../command'
import { Failure, iso, table } from '../output'
import { APP_OPTION, clientCommand, flag, group, inputOf, text, texts } from './build'

const listOf = (values: string[] = []) => values.flatMap((list) => list.split(',')).map((value) => value.trim())

/** The contract refuses other words. */
const eventsOf = (lists: string[]) => listOf(lists).filter(Boolean) as HookEventType[]

/** `method=sms`, `type=signup,login`, `metadata.plan=pro`. */
function filtersOf(lines: string[]) {
  const filters: { method?: string[]; type?: string[]; metadata?: Record<string, string[]> } = {}
  for (const line of lines) {
    const [, name = '', values = ''] = /^([^=]+)=(.*)$/s.exec(line) ?? []
    const key = /^metadata\.(.+)$/s.exec(name)?.[1]
    if (key !== undefined) filters.metadata = { ...filters.metadata, [key]: listOf([values]) }
    else if (name === 'method' || name === 'type') filters[name] = listOf([values])
    else throw new InvalidArgumentError(`--filter: must be method=…, type=… or metadata.<key>=…: ${line}`)
  }
  return filters
}

const textOf = (text: string) => (text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text)

/** As typed on the command line. */
const settings = z.object({
  filters: texts('--filter <rule>  method=sms, type=signup,login or metadata.<key>=a,b; repeatable'),
  headers: texts('--header <header>  "Name: value" sent with every request, repeatable'),
  template: text('--template <json>  JSON with {{path}} that becomes the payload; @FILE reads a file'),
})
const ofEndpoint = z.object({ endpointId: z.string().describe('<endpointId>  webhook') })

const settingsOf = ({ filters, headers, template }: z.infer<typeof settings>) => ({
  ...(filters !== undefined && { filters: filtersOf(filters.filter(Boolean)) }),
  ...(headers !== undefined && { headers: headersOf(headers.filter(Boolean)) }),
  ...(template !== undefined && { template: textOf(template) }),
})

type AnsweredEndpoint = Awaited<ReturnType<AdminClient['webhooks']['show']>>

function endpointObject({ warning, template, ...endpoint }: AnsweredEndpoint) {
  const { createdAt, disabledAt, failingSince, previousSecretValidUntil } = endpoint
  return {
    ...{ ...endpoint, ...(template && { template }), createdAt: iso(createdAt), disabledAt: iso(disabledAt) },
    ...{ failingSince: iso(failingSince), previousSecretValidUntil: iso(previousSecretValidUntil) },
  }
}

function warningOf({ mode, url, warning }: AnsweredEndpoint): { warning?: string } {
  if (!warning) return {}
  const server = mode === 'test' && isLoopback(url) ? 'the server is `quickstart` or its' : "the server's"
  return { warning: `${warning.message}; unless ${server} settings allow it, nothing will be sent` }
}
const warningLines = (warning: string | undefined) => (warning === undefined ? [] : [`Warning: ${warning}`])

export const webhookCommands = () =>
  group('webhook', 'webhook endpoints and their deliveries', 'list --app app_4k2m9x0c7q1z', {
    add: clientCommand({
      summary: 'add a webhook endpoint; its secret is shown only once',
      examples: [
        '--app app_4k2m9x0c7q1z --mode live --url https://shop.example.com/otp --events otp.verified,otp.failed',
      ],
      input: settings.extend({
        ...APP_OPTION.shape,
        mode: mode.describe('live or test'),
        url: z.string().describe('URL that receives the events as POST requests'),
        events: z.array(z.string()).describe(`--events <types>  separated by commas: ${HOOK_EVENT_TYPES.join(', ')}`),
      }),
      run: async (client, { appId, mode, url, events, ...typed }) => {
        const wanted = { appId, mode, url, events: eventsOf(events), ...settingsOf(typed) }
        const { endpoint, secret } = await client.webhooks.add(wanted)
        return { ...endpointObject(endpoint), secret, ...warningOf(endpoint) }
      },
      lines: ({ endpointId, events, secret, warning }) => [
        `${endpointId} is told of ${events.join(', ')}. Its secret is shown only now:`,
        secret,
        ...warningLines(warning),
      ],
    }),
    list: clientCommand({
      summary: 'list the webhooks of an app',
      examples: ['--app app_4k2m9x0c7q1z'],
      input: APP_OPTION,
      run: async (client, { appId }) => {
        const { endpoints } = await client.webhooks.list({ appId })
        return { webhooks: endpoints.map(endpointObject) }
      },
      lines: ({ webhooks }, { appId }) =>
        table(
          ['WEBHOOK', 'MODE', 'URL', 'EVENTS', 'STATE'],
          webhooks.map(({ endpointId, mode, url, events, disabledReason }) => [
            ...[endpointId, mode, url, events.join(', ')],
            disabledReason === undefined ? 'enabled' : `disabled: ${disabledReason}`,
          ]),
          `${appId} has no webhooks yet. \`watchword webhook add\` creates one.`,
        ),
    }),
    update: clientCommand({
      summary: 'change the given settings of a webhook',
      examples: ['whe_2a4b6c8d0e1f --enable'],
      input: ofEndpoint.extend({
        ...settings.shape,
        url: text('URL that receives the events as POST requests'),
        events: texts('--events <types>  separated by commas'),
        enable: flag('send again'),
        disable: flag('send no more'),
      }),
      run: async (client, { endpointId, enable, disable, url, events, ...typed }) => {
        if (enable && disable) throw new InvalidArgumentError('--enable and --disable exclude each other')
        const enabled = enable ? true : disable ? false : undefined
        const named = events && { events: eventsOf(events) }
        const wanted = { ...(url !== undefined && { url }), ...named, ...settingsOf(typed), enabled }
        const endpoint = await client.webhooks.update({ endpointId, ...wanted })
        return { ...endpointObject(endpoint), ...warningOf(endpoint) }
      },
      lines: ({ endpointId, mode, url, events, disabledReason, warning }) => [
        [endpointId, mode, url, events.join(', '), disabledReason && `disabled: ${disabledReason}`]
          .filter(Boolean)
          .join('  '),
        ...warningLines(warning),
      ],
    }),
    remove: clientCommand({
      summary: 'remove a webhook and its deliveries',
      examples: ['whe_2a4b6c8d0e1f --yes'],
      input: ofEndpoint,
      confirmation: async (client, { endpointId }) => {
        const { url, mode } = await client.webhooks.show({ endpointId })
        return `Remove the webhook ${endpointId} (${mode}, ${url}) and all it was told?`
      },
      run: async (client, { endpointId }) => {
        await client.webhooks.remove({ endpointId })
        return { endpointId, removed: true }
      },
      lines: ({ endpointId }) => [`Removed ${endpointId}`],
    }),
    rotate: clientCommand({
      summary: 'create a new secret; the old one stays valid for a while',
      examples: ['whe_2a4b6c8d0e1f --overlap-hours 48'],
      input: ofEndpoint.extend({ overlapHours: z.int().default(24).describe('how long the old secret stays valid') }),
      run: async (client, { endpointId, overlapHours }) => {
        const { secret, previousValidUntil } = await client.webhooks.rotate({ endpointId, overlapHours })
        return { endpointId, secret, previousValidUntil: iso(previousValidUntil) }
      },
      lines: ({ secret, previousValidUntil }) => [
        `The new secret is shown only now; the old one is valid until ${previousValidUntil}:`,
        secret,
      ],
    }),
    test: clientCommand({
      summary: 'queue a test event for the running server to send',
      examples: ['whe_2a4b6c8d0e1f --type otp.verified'],
      input: ofEndpoint.extend({ type: eventType.default('otp.sent').describe('event') }),
      run: async (client, { endpointId, type }) => {
        const { eventId } = await client.webhooks.test({ endpointId, type })
        return { endpointId, eventId, type, queued: true }
      },
      lines: ({ endpointId, eventId, type }) => [
        `Queued ${type} ${eventId}; \`webhook events ${endpointId}\` shows what came of it.`,
      ],
    }),
    preview: clientCommand({
      summary: 'preview a payload template with a sample of each event',
      examples: ['--template \'{"text":"{{type}}: {{data.id}}"}\''],
      input: z.object({ template: z.string().describe('--template <json>  JSON with {{path}}; @FILE reads a file') }),
      run: async (client, { template }) => {
        const events = [...EVENT_TYPES]
        const { previews, mistake } = await client.webhooks.preview({ template: textOf(template), events })
        if (mistake) throw new Failure('invalid', `${mistake.message}`)
        return { previews }
      },
      lines: ({ previews }) => previews.map(({ type, body }) => `${type}  ${body}`),
    }),
    events: clientCommand({
      summary: 'list the deliveries of a webhook, newest first, with every attempt',
      examples: ['whe_2a4b6c8d0e1f --status failed'],
      input: ofEndpoint.extend({
        status: inputOf(webhooks.events).shape.status.describe('only these'),
        limit: z.int().default(50).describe('how many'),
        before: text('--before <deliveryId>  older than this one'),
      }),
      run: async (client, { endpointId, status, limit, before }) => {
        const { appId, mode } = await client.webhooks.show({ endpointId })
        type Page = Awaited<ReturnType<typeof client.webhooks.events>>
        const rows: Page['rows'] = []
        let after = before
        do {
          const asked = { endpointId, status, log: true, limit: Math.min(limit - rows.length, 200), after }
          const page: Page = await client.webhooks.events(asked)
          rows.push(...page.rows)
          after = page.next
        } while (after !== undefined && rows.length < limit)
        const events = rows.map(({ createdAt, lastAttemptAt, nextAttemptAt, log = [], ...hook }) => ({
          ...{ appId, mode, endpointId, ...hook, createdAt: iso(createdAt) },
          ...{ lastAttemptAt: iso(lastAttemptAt), nextAttemptAt: iso(nextAttemptAt) },
          log: log.map(({ calledAt, ...attempt }) => ({ at: iso(calledAt), ...attempt })),
        }))
        return { events }
      },
      lines: ({ events }, { endpointId, status }) =>
        table(
          ['AT', 'EVENT', 'TYPE', 'STATUS', 'ATTEMPTS', 'ANSWER', 'NEXT'],
          events.map(({ createdAt, eventId, type, status, attempts, lastStatus, lastError, nextAttemptAt }) => [
            ...[createdAt, eventId, type, status, attempts],
            [lastStatus, lastError].filter(Boolean).join(', ') || undefined,
            nextAttemptAt,
          ]),
          `${endpointId} was told nothing${status ? ` that is ${status}` : ' yet'}. \`watchword webhook test\` sends it something.`,
        ),
    }),
    replay: clientCommand({
      summary: 'replay one event, or all that failed since a time',
      examples: ['whe_2a4b6c8d0e1f --since 2027-01-31'],
      input: ofEndpoint.extend({
        eventId: text('--event <eventId>  this event'),
        since: at.optional().describe('all events that failed since'),
      }),
      run: async (client, { endpointId, eventId, since }) => {
        if ((eventId === undefined) === (since === undefined))
          throw new InvalidArgumentError('either --event or --since is needed')
        return { endpointId, ...(await client.webhooks.replay({ endpointId, eventId, since })) }
      },
      lines: ({ replayed }) => [`Queued ${replayed} again`],
    }),
  })
