/** Configuration: environment and flags in, a frozen Config out, or one refusal that names every mistake. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Vendor } from './abuse/rules/challenge'
import { isNetwork } from './domain/access/network'
import { FIXED_LIMITS, type LimitsConfig, USUAL_LIMITS } from './domain/access/rate-limits'
import { MAX_CONCURRENCY } from './domain/delivery/carrier'
import { timeOfDay } from './domain/operations/backup-schedule'
import { MAX_TIMEOUT_MS } from './domain/operations/job'
import type { Numbering } from './domain/phone/phone'
import { numbers } from './domain/phone/phone'
import { IDEMPOTENCY_DAYS } from './domain/verification/idempotency'
import { PROOF_LIFETIME_SEC, type ProofSettings } from './domain/verification/proof'
import type { PriceList } from './domain/wallet/wallet'
import type { HookUrlPolicy } from './domain/webhooks/target-address'
import { LOG_LEVELS, type LogLevel } from './ports/log'
import type { TraceSettings } from './ports/telemetry'
import { MIN_SECRET_LENGTH, type SecretSource } from './ports/vault'

/** Its schema is a function, called only if the setting is given: making all schemas took a tenth of a start. */
interface Setting<Value, Default> {
  meaning: string
  schema: () => z.ZodType<Value>
  byDefault: Default
}

function setting<Value>(meaning: string, schema: () => z.ZodType<Value>): Setting<Value, undefined>
function setting<Value>(meaning: string, schema: () => z.ZodType<Value>, byDefault: Value): Setting<Value, Value>
function setting(meaning: string, schema: () => z.ZodType, byDefault?: unknown): Setting<unknown, unknown> {
  return { meaning, schema, byDefault }
}

const whole = (min: number, max: number) => () =>
  z
    .string()
    .regex(/^[0-9]{1,12}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))

/** Separated by commas. */
const list = () =>
  z.string().transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  )

const cidrs = () =>
  list().refine(
    (items) => items.every((cidr) => isNetwork(cidr)),
    'must be networks in CIDR notation, separated by commas',
  )

const ports = () =>
  list()
    .transform((items) => items.map(Number))
    .refine(
      (items) => items.every((port) => Number.isInteger(port) && port > 0 && port < 65_536),
      'must be port numbers',
    )

const timesOfDay = () =>
  list()
    .refine(
      (items) => items.every((item) => timeOfDay(item) !== undefined),
      'must be times such as 03:00, separated by commas',
    )
    .transform((items) => items.map((item) => timeOfDay(item) ?? 0))

const numberPrefixes = () =>
  list().refine(
    (items) => items.every((prefix) => /^\+[1-9][0-9]{1,13}$/.test(prefix)),
    'must be prefixes such as +82199, separated by commas',
  )

const flag = () => z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true')

const share = () =>
  z
    .string()
    .regex(/^(0(\.[0-9]{1,6})?|1(\.0+)?)$/, 'must be a number from 0 to 1')
    .transform(Number)

const headers = () =>
  list()
    .refine(
      (items) => items.every((item) => /^[A-Za-z0-9-]+=[\x20-\x7e]+$/.test(item)),
      'must be name=value, separated by commas',
    )
    .transform((items) =>
      Object.fromEntries(items.map((item) => [item.split('=', 1)[0] ?? '', item.slice(item.indexOf('=') + 1)])),
    )

const httpUrl = () => z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
const postgresUrl = () => z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' })

const listenerOf = (text: string) => {
  const colon = text.lastIndexOf(':')
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) }
}

const challengeUrl = (byDefault: string, vendor: string) =>
  setting(`URL at which ${vendor} checks the proof of a challenge`, httpUrl, byDefault)

/** The words of a command that runs without a shell: separated by spaces, or a JSON array. Empty for broken JSON. */
function wordsOf(text: string): readonly string[] {
  if (!text.startsWith('[')) return text.split(' ').filter(Boolean)
  try {
    return z.array(z.string()).parse(JSON.parse(text))
  } catch {
    return []
  }
}

/** Every setting, by the name of its environment variable without `WATCHWORD_`. The table of docs/operating.md is made from it. */
const settings = {
  HOST: setting('Address to listen on', () => z.string().min(1), '127.0.0.1'),
  PORT: setting('Port to listen on; 0 takes any free one', whole(0, 65_535), 8787),
  DATA: setting('Folder of the database and the key file', () => z.string().min(1), './watchword-data'),
  SECRET: setting('Master secret; without it a key file in the data folder is made and used', () =>
    z.string().min(MIN_SECRET_LENGTH, `must have at least ${MIN_SECRET_LENGTH} characters`),
  ),
  SECRET_FILE: setting('File that holds the master secret', () => z.string().min(1)),
  SECRET_COMMAND: setting('Program that prints the master secret; it runs without a shell at each start', () =>
    z
      .string()
      .transform(wordsOf)
      .refine(
        (words) => words.length > 0,
        'must be a program and what it is given, separated by spaces, or a JSON array',
      ),
  ),
  DATABASE_URL: setting(
    'PostgreSQL that several servers share, as postgres://user:password@host/database; without it the data folder',
    postgresUrl,
  ),
  DATABASE_URL_FILE: setting('File that holds the URL of that PostgreSQL', () => z.string().min(1)),
  DATABASE_POOL: setting(
    'Connections of a server to PostgreSQL for changes; reads have half as many',
    whole(2, 500),
    16,
  ),
  DATABASE_BATCHING: setting('Deprecated, without effect: codes of one moment have a transaction each', flag, true),
  DATABASE_REPLICA_URL: setting("Replica of that PostgreSQL for the console's lists, usage and exports", postgresUrl),
  PUBLIC_URL: setting(
    'Origin under which people, clients and carriers reach the service: the console, printed links and report URLs',
    () =>
      httpUrl()
        .transform((url) => url.replace(/\/$/, ''))
        .refine(
          (url) => new URL(url).origin === url,
          'must be an origin such as https://otp.example.com, without path',
        ),
  ),
  LEAVING_MS: setting(
    'Milliseconds that a stopping server still answers, while /readyz is 503; load balancers have to notice within them',
    whole(0, 600_000),
    1_000,
  ),
  LOG_LEVEL: setting('Least level that is logged', () => z.enum(LOG_LEVELS), 'info'),
  LOG_SUCCESSES: setting(
    'Share of the successful requests that are logged, 0 to 1, with all lines of each; what fails is always logged',
    share,
    1,
  ),
  DEFAULT_REGION: setting(
    'Country whose national phone formats are read',
    () => z.enum(numbers().getCountries() as [string, ...string[]], 'must be an ISO 3166 country code such as KR'),
    'KR',
  ),
  NUMBER_PREFIXES: setting(
    'Prefixes such as +82199 of valid numbers that are newer than this release',
    numberPrefixes,
    [],
  ),
  TRUSTED_PROXIES: setting('Networks whose X-Forwarded-For is believed', cidrs, []),
  PROVIDER_TIMEOUT_MS: setting(
    'Milliseconds a carrier has to answer, where it has no setting of its own',
    whole(100, MAX_TIMEOUT_MS),
    10_000,
  ),
  PROVIDER_CONCURRENCY: setting(
    'Messages under way at a carrier at a time, where the carrier has no setting of its own',
    whole(1, MAX_CONCURRENCY),
    128,
  ),
  MAX_BACKLOG: setting(
    'Messages that may wait to be sent; above it new issues are answered 503',
    whole(1, 10_000_000),
    100_000,
  ),
  CHECKPOINT_PAGES: setting(
    'Pages (4 KB) of the write-ahead log after which they are copied into SQLite; 0: another program does that, such as Litestream',
    whole(0, 1_000_000),
    12_000,
  ),
  BACKUP_AT: setting(
    'Times of day in UTC at which the server backs up its data folder, such as 03:00 or 03:00,15:00; empty: never',
    timesOfDay,
    [],
  ),
  BACKUP_KEEP: setting('How many of the newest of these backups stay', whole(1, 10_000), 7),
  LIVE_RETENTION_DAYS: setting('Days that live issues are kept', whole(1, 36_500), 180),
  IDEMPOTENCY_DAYS: setting('Days that an idempotency key is remembered', whole(1, 365), IDEMPOTENCY_DAYS),
  PROOF_LIFETIME_SEC: setting(
    'Seconds that the proof of a verification is valid',
    whole(60, 86_400),
    PROOF_LIFETIME_SEC,
  ),
  METRICS_TOKEN: setting(
    'Bearer token that lets a client read /metrics; without it the port of the API has no /metrics',
    () => z.string().regex(/^[\x21-\x7e]{16,}$/, 'must have at least 16 characters of ASCII, and no space'),
  ),
  METRICS_LISTEN: setting(
    'Address and port of a listener for /metrics alone, such as 127.0.0.1:9464; it wants the token if one is set',
    () =>
      z
        .string()
        .regex(/^(\[[0-9a-fA-F:]+\]|[^:\s]+):[0-9]{1,5}$/, 'must be an address and a port, such as 127.0.0.1:9464')
        .transform(listenerOf),
  ),
  METRICS_WALLETS: setting('Whether metrics include the wallet of each app', flag, false),
  TRACES_URL: setting(
    'OpenTelemetry collector that gets traces by OTLP over HTTP, such as http://localhost:4318; without it nothing is traced',
    () => httpUrl().transform((url) => url.replace(/\/$/, '')),
  ),
  TRACES_HEADERS: setting('Headers of requests to the collector: name=value, separated by commas', headers),
  TRACES_SHARE: setting(
    'Share of the requests that are traced, from 0 to 1; requests that a caller traces are always traced',
    share,
    1,
  ),
  TURNSTILE_URL: challengeUrl('https://challenges.cloudflare.com/turnstile/v0/siteverify', 'Turnstile'),
  HCAPTCHA_URL: challengeUrl('https://api.hcaptcha.com/siteverify', 'hCaptcha'),
  RECAPTCHA_URL: challengeUrl('https://www.google.com/recaptcha/api/siteverify', 'reCAPTCHA'),
  WEBHOOK_ALLOW_HTTP: setting('Whether webhooks may go to http:// URLs', flag, false),
  WEBHOOK_ALLOW_CIDR: setting('Networks that are not public, but may get webhooks', cidrs, []),
  WEBHOOK_PORTS: setting('Ports webhooks may be sent to, separated by commas; empty: every port', ports, []),
  WEBHOOK_SOURCES: setting('Networks this server sends webhooks from, as published for receivers', cidrs, []),
  PRICE_SMS: setting('Credits for an SMS', whole(0, 1_000), 1),
  PRICE_LMS: setting('Credits for an LMS', whole(0, 1_000), 1),
  PRICE_ALIMTALK: setting('Credits for an AlimTalk, its SMS fallback included', whole(0, 1_000), 1),
  LIMIT_REQUESTS_PER_KEY_PER_MIN: setting(
    'Platform ceiling of all requests of a live key in a minute',
    whole(1, 10_000_000),
    6_000,
  ),
  LIMIT_PK_ISSUES_PER_MIN: setting(
    'Issues of a live public key, and of all of an app together, in a minute',
    whole(1, 10_000_000),
    60,
  ),
  LIMIT_RELAY_ISSUES_PER_MIN: setting('Messages of one live relay in a minute', whole(1, 10_000_000), 600),
  LIMIT_PK_VERIFIES_PER_MIN: setting(
    'Verifies of a live public key, and of all of an app together, in a minute',
    whole(1, 10_000_000),
    300,
  ),
  LIMIT_PK_ISSUES_PER_MIN_PER_IP: setting(
    'Issues of a live public key from one client address in a minute',
    whole(1, 10_000_000),
    10,
  ),
  LIMIT_ISSUES_PER_PHONE_10_MIN: setting('Live issues for one phone of an app in 10 minutes', whole(1, 10_000_000), 5),
  LIMIT_ISSUES_PER_PHONE_DAY: setting('Live issues for one phone of an app in 24 hours', whole(1, 10_000_000), 15),
  LIMIT_REFUSALS_PER_MIN: setting(
    'Refused requests (400, 401, 402, 403, 409) of a key from one address, or of an address without a key, in a minute',
    whole(1, 10_000_000),
    USUAL_LIMITS.refusalsPerMin,
  ),
  LIMIT_TEST_ISSUES_PER_DAY: setting(
    'Test issues of the whole platform in one UTC day',
    whole(1, 10_000_000),
    USUAL_LIMITS.testIssuesPerDay,
  ),
}

type SettingValues = {
  [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer Value, infer Default>
    ? Value | Default
    : never
}

export interface Config {
  host: string
  port: number
  dataDir: string
  /** Undefined: the embedded database in the data folder. */
  database: DatabaseConfig | undefined
  /** Undefined: the key file of the data folder. */
  secret: SecretSource | undefined
  publicUrl: string | undefined
  leavingMs: number
  logLevel: LogLevel
  /** Share of the successful requests that are logged. */
  loggedSuccesses: number
  /** How phone numbers are parsed where an app has no region. */
  numbering: Numbering
  trustedProxies: readonly string[]
  carrierTimeoutMs: number
  carrierConcurrency: number
  maxBacklog: number
  checkpointPages: number
  /** `at`: milliseconds after midnight UTC. */
  backups: { at: readonly number[]; keep: number }
  liveRetentionDays: number
  idempotencyDays: number
  proofs: ProofSettings
  metrics: MetricsSettings
  /** Undefined: traces are off. */
  traces: TraceSettings | undefined
  challengeUrls: Readonly<Record<Vendor, string>>
  webhooks: HookUrlPolicy
  /** Published for receivers with an allow list of addresses. */
  webhookSources: readonly string[]
  prices: PriceList
  limits: LimitsConfig
}

export interface MetricsSettings {
  token: string | undefined
  /** A separate listener. */
  listen: { host: string; port: number } | undefined
  /** Whether the wallet of each app has metrics. */
  wallets: boolean
}

export interface DatabaseConfig {
  /** With credentials. */
  url: string
  /** The number of connections for transactions. */
  size: number
  replicaUrl: string | undefined
}

export class ConfigError extends Error {
  override name = 'ConfigError'
  /** `isUsage`: a flag is wrong, not only the environment. */
  constructor(
    message: string,
    readonly isUsage = false,
  ) {
    super(message)
  }
}

const PREFIX = 'WATCHWORD_'

const OPERATOR_WEBHOOK = `${PREFIX}OPERATOR_WEBHOOK_`
const NOTICES_INSTEAD = 'notices tell of incidents now: take this out, and see `watchword notice add --help`'

/** What OpenTelemetry calls these settings, which count where ours are not set; the more exact name first. */
const STANDARD_NAMES = [
  ['TRACES_URL', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
  ['TRACES_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ['TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'],
  ['TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS'],
] as const

/** Settings that name a PostgreSQL. Together with `--data` they are a mistake, since one of the two would be ignored silently. */
const DATABASES = ['DATABASE_URL', 'DATABASE_URL_FILE'] as const

/** Kubernetes describes each Service to the containers beside it: one named `watchword` would look like settings. */
const OF_A_SERVICE = /^(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/
const isOfService = (name: string, value: string | undefined) =>
  OF_A_SERVICE.test(name) || (name === 'PORT' && /^(tcp|udp|sctp):\/\//.test(value ?? ''))

/**
 * `flags` win over `env`. `examine` looks for settings that this machine does not allow. Throws `ConfigError` with one line for
 * each mistake, all at once.
 */
export function readConfig(
  environment: Record<string, string | undefined>,
  flags: Record<string, string | undefined> = {},
  examine: (
    settings: Pick<SettingValues, 'HOST' | 'DATA' | 'METRICS_LISTEN'>,
    isFolder: boolean,
  ) => Array<[string, string]> = () => [],
): Config {
  const env = Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value]) => name.startsWith(PREFIX) && !isOfService(name.slice(PREFIX.length), value),
    ),
  )
  const given = Object.fromEntries(
    Object.keys(settings).map((name) => [name, flags[name] ?? (env[PREFIX + name] || undefined)]),
  )
  for (const [name, standard] of STANDARD_NAMES)
    given[name] ??= environment[standard]?.replace(/\/v1\/traces\/?$/, '') || undefined
  const unknown = Object.keys(env).filter((name) => !(name.slice(PREFIX.length) in settings))
  const { value, wrong } = readSettings(given)
  const mistakes = [
    ...wrong.map(({ name, message }) => `${PREFIX}${name}: ${message}`),
    ...unknown.map((name) => `${name}: ${name.startsWith(OPERATOR_WEBHOOK) ? NOTICES_INSTEAD : 'no such setting'}`),
  ]
  const besideFolder = flags.DATA === undefined ? undefined : DATABASES.find((name) => given[name] !== undefined)
  if (besideFolder)
    mistakes.push(`--data names a data folder, and ${PREFIX}${besideFolder} a PostgreSQL: give one of them`)
  const databaseUrl = besideFolder ? undefined : databaseUrlOf(given, mistakes)
  if (databaseUrl === undefined && given.DATABASE_REPLICA_URL !== undefined)
    mistakes.push(`${PREFIX}DATABASE_REPLICA_URL: needs ${PREFIX}DATABASE_URL, whose replica it names`)
  if (databaseUrl !== undefined && given.BACKUP_AT !== undefined)
    mistakes.push(`${PREFIX}BACKUP_AT: is for a data folder; a PostgreSQL is backed up by pg_dump, or its archive`)
  const sources = ['SECRET', 'SECRET_FILE', 'SECRET_COMMAND'].filter((name) => given[name] !== undefined)
  if (sources.length > 1) mistakes.push(`${sources.map((name) => PREFIX + name).join(' and ')}: give one of them`)
  if (databaseUrl !== undefined && sources.length === 0)
    mistakes.push(
      `${PREFIX}SECRET: is needed with ${PREFIX}DATABASE_URL, or ${PREFIX}SECRET_FILE or ${PREFIX}SECRET_COMMAND; every server has the same one`,
    )
  const examined = examine(value, databaseUrl === undefined)
  mistakes.push(...examined.map(([name, message]) => `${PREFIX}${name}: ${message}`))
  if (mistakes.length > 0) {
    const isUsage = besideFolder !== undefined || wrong.some(({ name }) => flags[name] !== undefined)
    throw new ConfigError(`The configuration has mistakes:\n${mistakes.map((line) => `  ${line}`).join('\n')}`, isUsage)
  }
  return Object.freeze({
    host: value.HOST,
    port: value.PORT,
    dataDir: value.DATA,
    database: databaseUrl === undefined ? undefined : databaseOf(databaseUrl, value),
    secret: secretOf(value),
    publicUrl: value.PUBLIC_URL,
    leavingMs: value.LEAVING_MS,
    logLevel: value.LOG_LEVEL,
    loggedSuccesses: value.LOG_SUCCESSES,
    numbering: { region: value.DEFAULT_REGION, prefixes: value.NUMBER_PREFIXES },
    trustedProxies: value.TRUSTED_PROXIES,
    carrierTimeoutMs: value.PROVIDER_TIMEOUT_MS,
    carrierConcurrency: value.PROVIDER_CONCURRENCY,
    maxBacklog: value.MAX_BACKLOG,
    checkpointPages: value.CHECKPOINT_PAGES,
    backups: { at: value.BACKUP_AT, keep: value.BACKUP_KEEP },
    liveRetentionDays: value.LIVE_RETENTION_DAYS,
    idempotencyDays: value.IDEMPOTENCY_DAYS,
    proofs: { issuer: value.PUBLIC_URL, lifetimeMs: value.PROOF_LIFETIME_SEC * 1_000 },
    metrics: { token: value.METRICS_TOKEN, listen: value.METRICS_LISTEN, wallets: value.METRICS_WALLETS },
    traces:
      value.TRACES_URL === undefined
        ? undefined
        : { url: value.TRACES_URL, headers: value.TRACES_HEADERS ?? {}, share: value.TRACES_SHARE },
    challengeUrls: {
      turnstile: value.TURNSTILE_URL,
      hcaptcha: value.HCAPTCHA_URL,
      recaptcha: value.RECAPTCHA_URL,
    },
    webhooks: {
      allowHttp: value.WEBHOOK_ALLOW_HTTP,
      allowedCidrs: value.WEBHOOK_ALLOW_CIDR,
      ports: value.WEBHOOK_PORTS,
    },
    webhookSources: value.WEBHOOK_SOURCES,
    prices: { sms: value.PRICE_SMS, lms: value.PRICE_LMS, alimtalk: value.PRICE_ALIMTALK },
    limits: {
      requestsPerKeyPerMin: value.LIMIT_REQUESTS_PER_KEY_PER_MIN,
      pkIssuesPerMin: value.LIMIT_PK_ISSUES_PER_MIN,
      relayIssuesPerMin: value.LIMIT_RELAY_ISSUES_PER_MIN,
      pkVerifiesPerMin: value.LIMIT_PK_VERIFIES_PER_MIN,
      pkIssuesPerMinPerIp: value.LIMIT_PK_ISSUES_PER_MIN_PER_IP,
      issuesPerPhone10Min: value.LIMIT_ISSUES_PER_PHONE_10_MIN,
      issuesPerPhoneDay: value.LIMIT_ISSUES_PER_PHONE_DAY,
      testIssuesPerDay: value.LIMIT_TEST_ISSUES_PER_DAY,
      refusalsPerMin: value.LIMIT_REFUSALS_PER_MIN,
      ...FIXED_LIMITS,
    },
  })
}

/** `value` holds where nothing is wrong. */
function readSettings(given: Record<string, string | undefined>) {
  const wrong: Array<{ name: string; message: string }> = []
  const entries = Object.entries(settings).map(([name, { schema, byDefault }]) => {
    if (given[name] === undefined) return [name, byDefault]
    const { data, error } = (schema() as z.ZodType).safeParse(given[name])
    for (const { message } of error?.issues ?? []) wrong.push({ name, message })
    return [name, data]
  })
  return { value: Object.fromEntries(entries) as SettingValues, wrong }
}

function secretOf({
  SECRET: text,
  SECRET_FILE: file,
  SECRET_COMMAND: command,
}: SettingValues): SecretSource | undefined {
  if (text !== undefined) return { setting: `${PREFIX}SECRET`, text }
  if (file !== undefined) return { setting: `${PREFIX}SECRET_FILE`, file }
  return command && { setting: `${PREFIX}SECRET_COMMAND`, command }
}

function databaseUrlOf(
  { DATABASE_URL: url, DATABASE_URL_FILE: file }: Record<string, string | undefined>,
  mistakes: string[],
): string | undefined {
  if (url !== undefined && file !== undefined)
    mistakes.push(`${PREFIX}DATABASE_URL_FILE: give either this or ${PREFIX}DATABASE_URL`)
  if (file === undefined) return url
  try {
    const text = readFileSync(file, 'utf8').trim()
    if (postgresUrl().safeParse(text).success) return text
    mistakes.push(`${PREFIX}DATABASE_URL_FILE: the file holds no postgres:// URL`)
  } catch {
    mistakes.push(`${PREFIX}DATABASE_URL_FILE: the file cannot be read`)
  }
  return undefined
}

const databaseOf = (url: string, value: SettingValues): DatabaseConfig => ({
  ...{ url, size: value.DATABASE_POOL, replicaUrl: value.DATABASE_REPLICA_URL },
})

/** Name, default and meaning of every setting, for docs/operating.md and `watchword help`. */
export function describeSettings(): Array<{ name: string; byDefault: string; meaning: string }> {
  return Object.entries(settings).map(([name, { byDefault, meaning }]) => ({
    name: PREFIX + name,
    byDefault: String(byDefault ?? ''),
    meaning,
  }))
}
