import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { EVENT_TYPES, type EventType } from '../../contract/event'
import { assertHookTarget, isLoopback } from '../domain/address'
import { Refusal } from '../domain/error'
import { isUuid, type Mode } from '../domain/value'
import type { Endpoint, HookAttempt, HookFilters, HookReport } from '../domain/webhook'
import * as administer from '../usecases/administer'
import { previewHookTemplate } from '../usecases/preview-hook-template'
import {
  type CommonOptions,
  collect,
  command,
  headersOf,
  instant,
  onData,
  onDataCommand,
  removalCommand,
  wholeNumber,
} from './command'
import { type Confirmable, confirm } from './confirm'
import { adminOf, type Opened } from './open'
import { iso, table } from './output'

interface EndpointOptions extends CommonOptions {
  url?: string
  events?: string[]
  filter?: string[]
  header?: string[]
  template?: string
  enable?: boolean
  disable?: boolean
}

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

const settingsOf = ({ url, events, filter, header, template }: EndpointOptions) => ({
  ...(url !== undefined && { url }),
  ...(events !== undefined && { events: listOf(events).filter(Boolean) }),
  ...(filter !== undefined && { filters: filtersOf(filter.filter(Boolean)) }),
  ...(header !== undefined && { headers: headersOf(header.filter(Boolean)) }),
  ...(template !== undefined && { template: textOf(template) }),
})

const endpointCommand = (name: string, summary: string, example: string) =>
  onDataCommand(name, summary, example)
    .option('--filter <rule>', 'method=sms, type=signup,login or metadata.<key>=a,b; repeatable', collect)
    .option('--header <header>', '"Name: value" sent with every request, repeatable', collect)
    .option('--template <json>', 'JSON with {{path}} that becomes the body; @FILE reads a file')

/** Without its secrets, and without the values of its headers, which may be some. */
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

const endpointLine = ({ endpointId, mode, url, events, disabledReason }: Endpoint) =>
  `${endpointId}  ${mode}  ${url}  ${events.join(', ')}${disabledReason === undefined ? '' : `  disabled: ${disabledReason}`}`

const hookObject = ({ createdAt, lastAttemptAt, nextAttemptAt, ...hook }: HookReport) => ({
  ...hook,
  createdAt: iso(createdAt),
  lastAttemptAt: iso(lastAttemptAt),
  nextAttemptAt: iso(nextAttemptAt),
})

/** The server may run with other settings than this command; then the warning says so. */
function warningOf({ config }: Opened, { mode, url }: Pick<Endpoint, 'mode' | 'url'>): string | undefined {
  try {
    assertHookTarget(url, config.webhooks)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const server = mode === 'test' && isLoopback(url) ? 'the server is `quickstart` or its' : "the server's"
    return `${error.message}; unless ${server} settings allow it, nothing will be sent`
  }
}

async function existingEndpoint({ store }: Opened, endpointId: string): Promise<Endpoint> {
  const endpoint = await store.read.endpoints.find(endpointId)
  if (!endpoint) throw new Refusal('not_found', `No such webhook: ${endpointId}`)
  return endpoint
}

export function webhookCommands(): Command {
  const webhook = command(
    'webhook',
    'who is told of events, and what came of it',
    'webhook list --app app_4k2m9x0c7q1z',
  )
  webhook.addCommand(
    endpointCommand(
      'add',
      'tell a URL of events; its secret is shown this once',
      'webhook add --app app_4k2m9x0c7q1z --mode live --url https://shop.example.com/otp --events otp.verified,otp.failed',
    )
      .requiredOption('--app <id>', 'app')
      .addOption(new Option('--mode <mode>', 'live or test').choices(['live', 'test']).makeOptionMandatory())
      .requiredOption('--url <url>', 'where events are posted to')
      .requiredOption('--events <types>', `separated by commas: ${EVENT_TYPES.join(', ')}`, collect)
      .action((options: EndpointOptions & { app: string; mode: Mode; url: string; events: string[] }) =>
        onData(options, async (opened, output) => {
          const { app: appId, mode, url, events } = options
          const wanted = { ...settingsOf(options), url, events: listOf(events).filter(Boolean), appId, mode }
          const { endpoint, secret } = await administer.addEndpoint(adminOf(opened), wanted)
          const warning = warningOf(opened, endpoint)
          output({ ...endpointObject(endpoint), secret, ...(warning && { warning }) }, [
            `${endpoint.endpointId} is told of ${endpoint.events.join(', ')}. Its secret is shown only now:`,
            secret,
            ...(warning ? [`Warning: ${warning}`] : []),
          ])
        }),
      ),
  )
  webhook.addCommand(
    onDataCommand('list', 'list the webhooks of an app', 'webhook list --app app_4k2m9x0c7q1z')
      .requiredOption('--app <id>', 'app')
      .action((options: CommonOptions & { app: string }) =>
        onData(options, async ({ store }, output) => {
          await administer.existingApp({ store }, options.app)
          const webhooks = await store.read.endpoints.ofApp(options.app)
          output(
            { webhooks: webhooks.map(endpointObject) },
            table(
              ['WEBHOOK', 'MODE', 'URL', 'EVENTS', 'STATE'],
              webhooks.map(({ endpointId, mode, url, events, disabledReason }) => [
                endpointId,
                mode,
                url,
                events.join(', '),
                disabledReason === undefined ? 'enabled' : `disabled: ${disabledReason}`,
              ]),
              `${options.app} has no webhooks yet. \`watchword webhook add\` makes one.`,
            ),
          )
        }),
      ),
  )
  webhook.addCommand(
    endpointCommand('update', 'change what is given, and leave the rest', 'webhook update whe_2a4b6c8d0e1f --enable')
      .argument('<endpointId>', 'webhook')
      .option('--url <url>', 'where events are posted to')
      .option('--events <types>', 'separated by commas', collect)
      .option('--enable', 'send again')
      .option('--disable', 'send no more')
      .action((endpointId: string, options: EndpointOptions) =>
        onData(options, async (opened, output) => {
          if (options.enable && options.disable)
            throw new InvalidArgumentError('--enable and --disable exclude each other')
          const enabled = options.enable ? true : options.disable ? false : undefined
          const wanted = { ...settingsOf(options), enabled }
          const endpoint = await administer.updateEndpoint(adminOf(opened), endpointId, wanted)
          const warning = warningOf(opened, endpoint)
          output({ ...endpointObject(endpoint), ...(warning && { warning }) }, [
            endpointLine(endpoint),
            ...(warning ? [`Warning: ${warning}`] : []),
          ])
        }),
      ),
  )
  webhook.addCommand(
    removalCommand('remove', 'tell it no more, and forget what it was told', 'webhook remove whe_2a4b6c8d0e1f --yes')
      .argument('<endpointId>', 'webhook')
      .action((endpointId: string, options: CommonOptions & Confirmable) =>
        onData(options, async (opened, output) => {
          const { url, mode } = await existingEndpoint(opened, endpointId)
          await confirm(options, `Remove the webhook ${endpointId} (${mode}, ${url}) and all it was told?`)
          await administer.removeEndpoint(adminOf(opened), endpointId)
          output({ endpointId, removed: true }, [`Removed ${endpointId}`])
        }),
      ),
  )
  webhook.addCommand(
    onDataCommand(
      'rotate',
      'make a new secret; the old one stays valid beside it for a while',
      'webhook rotate whe_2a4b6c8d0e1f --overlap-hours 48',
    )
      .argument('<endpointId>', 'webhook')
      .option('--overlap-hours <n>', 'how long the old one stays valid', wholeNumber, 24)
      .action((endpointId: string, options: CommonOptions & { overlapHours: number }) =>
        onData(options, async (opened, output) => {
          const rotated = await administer.rotateEndpoint(adminOf(opened), endpointId, options.overlapHours)
          const previousValidUntil = iso(rotated.previousValidUntil)
          output({ endpointId, secret: rotated.secret, previousValidUntil }, [
            `The new secret is shown only now; the old one is valid until ${previousValidUntil}:`,
            rotated.secret,
          ])
        }),
      ),
  )
  webhook.addCommand(
    onDataCommand(
      'test',
      'queue a made-up event for the running server to send',
      'webhook test whe_2a4b6c8d0e1f --type otp.verified',
    )
      .argument('<endpointId>', 'webhook')
      .addOption(new Option('--type <type>', 'event').choices(EVENT_TYPES).default('otp.sent'))
      .action((endpointId: string, options: CommonOptions & { type: EventType }) =>
        onData(options, async (opened, output) => {
          const eventId = await administer.testEndpoint(adminOf(opened), endpointId, options.type)
          output({ endpointId, eventId, type: options.type, queued: true }, [
            `Queued ${options.type} ${eventId}; \`webhook events ${endpointId}\` shows what came of it.`,
          ])
        }),
      ),
  )
  webhook.addCommand(
    onDataCommand(
      'preview',
      'show what a template makes of a sample of each event',
      'webhook preview --template \'{"text":"{{type}}: {{data.id}}"}\'',
    )
      .requiredOption('--template <json>', 'JSON with {{path}}; @FILE reads a file')
      .action((options: CommonOptions & { template: string }) =>
        onData(options, async (_, output) => {
          const previews = previewHookTemplate(textOf(options.template))
          output(
            { previews },
            previews.map(({ type, body }) => `${type}  ${body}`),
          )
        }),
      ),
  )
  webhook.addCommand(eventsCommand())
  webhook.addCommand(
    onDataCommand(
      'replay',
      'send one event again, or all that failed since a time',
      'webhook replay whe_2a4b6c8d0e1f --since 2027-01-31',
    )
      .argument('<endpointId>', 'webhook')
      .option('--event <eventId>', 'this event')
      .addOption(new Option('--since <date>', 'all that failed since').argParser(instant))
      .action((endpointId: string, options: CommonOptions & { event?: string; since?: number }) =>
        onData(options, async (opened, output) => {
          const { event: eventId, since } = options
          if ((eventId === undefined) === (since === undefined))
            throw new InvalidArgumentError('either --event or --since is needed')
          if (eventId !== undefined && !isUuid(eventId)) throw new Refusal('not_found', `No such event: ${eventId}`)
          const which = eventId === undefined ? { since: since ?? 0 } : { eventId }
          const replayed = await administer.replayEvents(adminOf(opened), endpointId, which)
          output({ endpointId, replayed }, [`Queued ${replayed} again`])
        }),
      ),
  )
  return webhook
}

const eventsCommand = (): Command =>
  onDataCommand(
    'events',
    'list what a webhook was told, newest first, with every attempt',
    'webhook events whe_2a4b6c8d0e1f --status failed',
  )
    .argument('<endpointId>', 'webhook')
    .addOption(new Option('--status <status>', 'only these').choices(['pending', 'delivered', 'failed']))
    .option('--limit <n>', 'how many', wholeNumber, 50)
    .option('--before <deliveryId>', 'older than this one')
    .action(
      (
        endpointId: string,
        options: CommonOptions & { status?: HookReport['status']; limit: number; before?: string },
      ) =>
        onData(options, async (opened, output) => {
          const { store } = opened
          const { status, limit, before } = options
          await existingEndpoint(opened, endpointId)
          if (before !== undefined && !isUuid(before)) throw new Refusal('not_found', `No such delivery: ${before}`)
          const hooks = await store.lists.hooks.page({ endpointId, status, before, limit: Math.min(limit, 1_000) })
          const events = await Promise.all(
            hooks.map(async (hook) => ({
              ...hookObject(hook),
              log: (await store.lists.hooks.attempts(hook.deliveryId)).map(attemptObject),
            })),
          )
          output(
            { events },
            table(
              ['AT', 'EVENT', 'TYPE', 'STATUS', 'ATTEMPTS', 'ANSWER', 'NEXT'],
              hooks.map(({ createdAt, eventId, type, status, attempts, lastStatus, lastError, nextAttemptAt }) => [
                iso(createdAt),
                eventId,
                type,
                status,
                attempts,
                [lastStatus, lastError].filter(Boolean).join(', ') || undefined,
                iso(nextAttemptAt),
              ]),
              `${endpointId} was told nothing${status ? ` that is ${status}` : ' yet'}. \`watchword webhook test\` sends it something.`,
            ),
          )
        }),
    )

const attemptObject = ({ number, calledAt, answeredAt, status, error, answer }: HookAttempt) => ({
  number,
  at: iso(calledAt),
  latencyMs: answeredAt - calledAt,
  status,
  error,
  answer,
})
