import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { HOOK_EVENT_TYPES } from '../../../contract/constants'
import { at, eventType, mode } from '../../admin/contract/base'
import { webhooks } from '../../admin/contract/webhooks'
import { missing, Refusal } from '../../domain/shared/error'
import { isUuid } from '../../domain/shared/value'
import { assertHookTarget, isLoopback } from '../../domain/webhooks/target-address'
import type { Endpoint, HookAttempt, HookFilters } from '../../domain/webhooks/webhook'
import * as administer from '../../usecases/administer'
import { previewHookTemplate } from '../../usecases/preview-hook-template'
import { headersOf } from '../command'
import { iso, table } from '../output'
import { type Admin, APP_OPTION, adminCommand, clientCommand, flag, group, inputOf, text, texts } from './build'

const listOf = (values: string[] = []) => values.flatMap((list) => list.split(',')).map((value) => value.trim())

/** `method=sms`, `type=signup,login`, `metadata.plan=pro`. */
function filtersOf(lines: string[]): HookFilters {
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

/** Omits secrets and header values, because header values may be secrets. */
function endpointObject({ secrets, headers, createdAt, disabledAt, failingSince, ...endpoint }: Endpoint) {
  return {
    ...endpoint,
    headers: Object.keys(headers),
    enabled: disabledAt === undefined,
    createdAt: iso(createdAt),
    disabledAt: iso(disabledAt),
    failingSince: iso(failingSince),
    previousSecretValidUntil: iso(secrets[1]?.validUntil),
  }
}

/** The server may have other settings than this command; then the warning says so. */
function warningOf({ config }: Admin, { mode, url }: Endpoint): { warning?: string } {
  try {
    assertHookTarget(url, config.webhooks)
    return {}
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const server = mode === 'test' && isLoopback(url) ? 'the server is `quickstart` or its' : "the server's"
    return { warning: `${error.message}; unless ${server} settings allow it, nothing will be sent` }
  }
}
const warningLines = (warning: string | undefined) => (warning === undefined ? [] : [`Warning: ${warning}`])

async function existingEndpoint({ store }: Admin, endpointId: string): Promise<Endpoint> {
  const endpoint = await store.read.endpoints.find(endpointId)
  if (!endpoint) throw missing('webhook', endpointId)
  return endpoint
}

const attemptObject = ({ number, calledAt, answeredAt, status, error, answer }: HookAttempt) => ({
  ...{ number, at: iso(calledAt), latencyMs: answeredAt - calledAt, status, error, answer },
})

export const webhookCommands = () =>
  group('webhook', 'webhook endpoints and their deliveries', 'list --app app_4k2m9x0c7q1z', {
    add: adminCommand({
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
      run: async (admin, { appId, mode, url, events, ...typed }) => {
        const wanted = { appId, mode, url, events: listOf(events).filter(Boolean), ...settingsOf(typed) }
        const { endpoint, secret } = await administer.addEndpoint(admin, wanted)
        return { ...endpointObject(endpoint), secret, ...warningOf(admin, endpoint) }
      },
      lines: ({ endpointId, events, secret, warning }) => [
        `${endpointId} is told of ${events.join(', ')}. Its secret is shown only now:`,
        secret,
        ...warningLines(warning),
      ],
    }),
    list: adminCommand({
      summary: 'list the webhooks of an app',
      examples: ['--app app_4k2m9x0c7q1z'],
      input: APP_OPTION,
      run: async ({ store }, { appId }) => {
        await administer.existingApp({ store }, appId)
        return { webhooks: (await store.read.endpoints.ofApp(appId)).map(endpointObject) }
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
    update: adminCommand({
      summary: 'change the given settings of a webhook',
      examples: ['whe_2a4b6c8d0e1f --enable'],
      input: ofEndpoint.extend({
        ...settings.shape,
        url: text('URL that receives the events as POST requests'),
        events: texts('--events <types>  separated by commas'),
        enable: flag('send again'),
        disable: flag('send no more'),
      }),
      run: async (admin, { endpointId, enable, disable, url, events, ...typed }) => {
        if (enable && disable) throw new InvalidArgumentError('--enable and --disable exclude each other')
        const enabled = enable ? true : disable ? false : undefined
        const named = events && { events: listOf(events).filter(Boolean) }
        const wanted = { ...(url !== undefined && { url }), ...named, ...settingsOf(typed), enabled }
        const endpoint = await administer.updateEndpoint(admin, endpointId, wanted)
        return { ...endpointObject(endpoint), ...warningOf(admin, endpoint) }
      },
      lines: ({ endpointId, mode, url, events, disabledReason, warning }) => [
        [endpointId, mode, url, events.join(', '), disabledReason && `disabled: ${disabledReason}`]
          .filter(Boolean)
          .join('  '),
        ...warningLines(warning),
      ],
    }),
    remove: adminCommand({
      summary: 'remove a webhook and its deliveries',
      examples: ['whe_2a4b6c8d0e1f --yes'],
      input: ofEndpoint,
      confirmation: async (admin, { endpointId }) => {
        const { url, mode } = await existingEndpoint(admin, endpointId)
        return `Remove the webhook ${endpointId} (${mode}, ${url}) and all it was told?`
      },
      run: async (admin, { endpointId }) => {
        await administer.removeEndpoint(admin, endpointId)
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
    preview: adminCommand({
      summary: 'preview a payload template with a sample of each event',
      examples: ['--template \'{"text":"{{type}}: {{data.id}}"}\''],
      input: z.object({ template: z.string().describe('--template <json>  JSON with {{path}}; @FILE reads a file') }),
      run: (_, { template }) => ({ previews: previewHookTemplate(textOf(template)) }),
      lines: ({ previews }) => previews.map(({ type, body }) => `${type}  ${body}`),
    }),
    events: adminCommand({
      summary: 'list the deliveries of a webhook, newest first, with every attempt',
      examples: ['whe_2a4b6c8d0e1f --status failed'],
      input: ofEndpoint.extend({
        status: inputOf(webhooks.events).shape.status.describe('only these'),
        limit: z.int().default(50).describe('how many'),
        before: text('--before <deliveryId>  older than this one'),
      }),
      run: async (admin, { endpointId, status, limit, before }) => {
        await existingEndpoint(admin, endpointId)
        if (before !== undefined && !isUuid(before)) throw new Refusal('not_found', `No such delivery: ${before}`)
        const { hooks } = admin.store.lists
        const page = await hooks.page({ endpointId, status, before, limit: Math.min(limit, 1_000) })
        const events = page.map(async ({ createdAt, lastAttemptAt, nextAttemptAt, ...hook }) => ({
          ...hook,
          createdAt: iso(createdAt),
          lastAttemptAt: iso(lastAttemptAt),
          nextAttemptAt: iso(nextAttemptAt),
          log: (await hooks.attempts(hook.deliveryId)).map(attemptObject),
        }))
        return { events: await Promise.all(events) }
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
