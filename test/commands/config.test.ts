/** The settings: what each is without being set, how far it goes, and what is said of one that is wrong. */
import { describe, expect, test } from 'bun:test'
import { type Config, ConfigError, describeSettings, readConfig } from '../../src/config'

/** What is said of a configuration, without the headline; nothing where it is taken. */
function mistakesOf(env: Record<string, string>, flags: Record<string, string> = {}): string[] {
  try {
    readConfig(env, flags)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.split('\n').slice(1)
  }
}

test('without any, the service is the machine’s own, careful and priced at one credit', () => {
  expect(readConfig({})).toEqual({
    ...{ host: '127.0.0.1', port: 8787, dataDir: './watchword-data', logLevel: 'info' },
    ...{ leavingMs: 1_000, loggedSuccesses: 1 },
    ...{ secret: undefined, database: undefined, publicUrl: undefined, trustedProxies: [], webhookSources: [] },
    numbering: { region: 'KR', prefixes: [] },
    ...{ carrierTimeoutMs: 10_000, carrierConcurrency: 128, maxBacklog: 100_000, checkpointPages: 12_000 },
    backups: { at: [], keep: 7 },
    ...{ liveRetentionDays: 180, idempotencyDays: 7 },
    proofs: { issuer: undefined, lifetimeMs: 600_000 },
    metrics: { token: undefined, listen: undefined, wallets: false },
    traces: undefined,
    challengeUrls: {
      turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
      hcaptcha: 'https://api.hcaptcha.com/siteverify',
      recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
    },
    webhooks: { allowHttp: false, allowedCidrs: [], ports: [] },
    prices: { sms: 1, lms: 1, alimtalk: 1 },
    limits: {
      ...{
        requestsPerKeyPerMin: 6_000,
        pkIssuesPerMin: 60,
        relayIssuesPerMin: 600,
        pkVerifiesPerMin: 300,
        pkIssuesPerMinPerIp: 10,
      },
      ...{ issuesPerPhone10Min: 5, issuesPerPhoneDay: 15, testIssuesPerDay: 100_000, refusalsPerMin: 600 },
      // Specification: "Limits".
      ...{ testRequestsPerKeyMin: 120, testRequestsPerKeyDay: 5_000, testIssuesPerOrgDay: 10_000 },
    },
  })
})

describe('a number', () => {
  test.each<[string, number, number, (config: Config) => number]>([
    ['PORT', 0, 65_535, ({ port }) => port],
    ['PROVIDER_TIMEOUT_MS', 100, 20_000, ({ carrierTimeoutMs }) => carrierTimeoutMs],
    ['PROVIDER_CONCURRENCY', 1, 10_000, ({ carrierConcurrency }) => carrierConcurrency],
    ['MAX_BACKLOG', 1, 10_000_000, ({ maxBacklog }) => maxBacklog],
    ['BACKUP_KEEP', 1, 10_000, ({ backups }) => backups.keep],
    ['CHECKPOINT_PAGES', 0, 1_000_000, ({ checkpointPages }) => checkpointPages],
    ['LIVE_RETENTION_DAYS', 1, 36_500, ({ liveRetentionDays }) => liveRetentionDays],
    ['IDEMPOTENCY_DAYS', 1, 365, ({ idempotencyDays }) => idempotencyDays],
    ['PROOF_LIFETIME_SEC', 60, 86_400, ({ proofs }) => proofs.lifetimeMs / 1_000],
    ['PRICE_SMS', 0, 1_000, ({ prices }) => prices.sms],
    ['PRICE_LMS', 0, 1_000, ({ prices }) => prices.lms],
    ['PRICE_ALIMTALK', 0, 1_000, ({ prices }) => prices.alimtalk],
    ['LIMIT_REQUESTS_PER_KEY_PER_MIN', 1, 10_000_000, ({ limits }) => limits.requestsPerKeyPerMin],
    ['LIMIT_PK_ISSUES_PER_MIN', 1, 10_000_000, ({ limits }) => limits.pkIssuesPerMin],
    ['LIMIT_PK_VERIFIES_PER_MIN', 1, 10_000_000, ({ limits }) => limits.pkVerifiesPerMin],
    ['LIMIT_PK_ISSUES_PER_MIN_PER_IP', 1, 10_000_000, ({ limits }) => limits.pkIssuesPerMinPerIp],
    ['LIMIT_ISSUES_PER_PHONE_10_MIN', 1, 10_000_000, ({ limits }) => limits.issuesPerPhone10Min],
    ['LIMIT_ISSUES_PER_PHONE_DAY', 1, 10_000_000, ({ limits }) => limits.issuesPerPhoneDay],
    ['LIMIT_REFUSALS_PER_MIN', 1, 10_000_000, ({ limits }) => limits.refusalsPerMin],
    ['LIMIT_TEST_ISSUES_PER_DAY', 1, 10_000_000, ({ limits }) => limits.testIssuesPerDay],
  ])('%s is a whole one from %i to %i', (name, least, most, of) => {
    const variable = `WATCHWORD_${name}`
    for (const number of [least, most]) expect(of(readConfig({ [variable]: String(number) }))).toBe(number)
    for (const wrong of [String(least - 1), String(most + 1), '1.5', '1e3', 'one', ' 7', '1'.repeat(13)])
      expect([wrong, mistakesOf({ [variable]: wrong })]).toEqual([
        wrong,
        expect.arrayContaining([expect.stringContaining(variable)]),
      ])
  })
})

describe('a text', () => {
  const networks = (of: (config: Config) => readonly string[]) => ({
    taken: { '10.0.0.0/8, 2001:db8::/32,': ['10.0.0.0/8', '2001:db8::/32'] },
    refused: ['10.0.0.1', '10.0.0.0/33', '10.0.0.0/8,office'],
    of,
  })
  const cases: Record<
    string,
    { taken: Record<string, unknown>; refused: string[]; of: (config: Config) => unknown; said?: string }
  > = {
    HOST: { taken: { '0.0.0.0': '0.0.0.0' }, refused: [], of: ({ host }) => host },
    DATA: { taken: { '/data': '/data' }, refused: [], of: ({ dataDir }) => dataDir },
    SECRET: {
      taken: { ['x'.repeat(32)]: 'x'.repeat(32) },
      refused: ['x'.repeat(31)],
      of: ({ secret }) => secret && 'text' in secret && secret.text,
      said: 'must have at least 32 characters',
    },
    PUBLIC_URL: {
      taken: {
        'https://otp.example.com': 'https://otp.example.com',
        'http://otp.example.com:8080/': 'http://otp.example.com:8080',
      },
      refused: [
        'otp.example.com',
        'ftp://otp.example.com',
        'https://otp.example.com/path',
        'https://u@otp.example.com',
      ],
      of: ({ publicUrl }) => publicUrl,
    },
    LOG_LEVEL: { taken: { warn: 'warn' }, refused: ['loud'], of: ({ logLevel }) => logLevel },
    DEFAULT_REGION: {
      taken: { US: 'US' },
      refused: ['us', 'XX'],
      of: ({ numbering }) => numbering.region,
      said: 'must be an ISO 3166 country code such as KR',
    },
    NUMBER_PREFIXES: {
      taken: { '+82199, +12': ['+82199', '+12'], '+12345678901234': ['+12345678901234'] },
      refused: ['82199', '+0199', '+8', '+123456789012345', '+82199,x'],
      of: ({ numbering }) => numbering.prefixes,
      said: 'must be prefixes such as +82199, separated by commas',
    },
    BACKUP_AT: {
      taken: { '03:00': [10_800_000], '00:00, 23:59': [0, 86_340_000] },
      refused: ['3:00', '24:00', '03:60', '03:00,noon'],
      of: ({ backups }) => backups.at,
      said: 'must be times such as 03:00, separated by commas',
    },
    TRUSTED_PROXIES: networks(({ trustedProxies }) => trustedProxies),
    WEBHOOK_ALLOW_CIDR: networks(({ webhooks }) => webhooks.allowedCidrs ?? []),
    WEBHOOK_SOURCES: networks(({ webhookSources }) => webhookSources),
    ...Object.fromEntries(
      (['turnstile', 'hcaptcha', 'recaptcha'] as const).map((vendor) => [
        `${vendor.toUpperCase()}_URL`,
        {
          taken: { 'http://127.0.0.1:9/verify': 'http://127.0.0.1:9/verify' },
          refused: ['vendor.example.com', 'ftp://vendor.example.com'],
          of: ({ challengeUrls }: Config) => challengeUrls[vendor],
          said: 'must be an http(s) URL',
        },
      ]),
    ),
    WEBHOOK_ALLOW_HTTP: {
      taken: { true: true, false: false },
      refused: ['yes', 'TRUE', '1'],
      of: ({ webhooks }) => webhooks.allowHttp,
      said: 'must be true or false',
    },
    WEBHOOK_PORTS: {
      taken: { '1, 443,65535': [1, 443, 65_535] },
      refused: ['0', '-1', '65536', '443,x', '8080.5'],
      of: ({ webhooks }) => webhooks.ports,
      said: 'must be port numbers',
    },
  }
  test.each(Object.entries(cases))('of %s', (name, { taken, refused, of, said = '' }) => {
    const variable = `WATCHWORD_${name}`
    for (const [text, read] of Object.entries(taken)) expect(of(readConfig({ [variable]: text }))).toEqual(read)
    for (const text of refused)
      expect([text, mistakesOf({ [variable]: text })]).toEqual([
        text,
        [expect.stringContaining(`${variable}: ${said}`)],
      ])
  })
})

describe('the secret', () => {
  const text = 'a secret that is long enough, or so'

  test('is given as text, as a file or by a program, whose words no shell reads', () => {
    const secretOf = (name: string, value: string) => readConfig({ [name]: value }).secret
    expect(secretOf('WATCHWORD_SECRET', text)).toEqual({ setting: 'WATCHWORD_SECRET', text })
    expect(secretOf('WATCHWORD_SECRET_FILE', '/run/secrets/watchword')).toMatchObject({
      file: '/run/secrets/watchword',
    })
    const commandOf = (value: string) => secretOf('WATCHWORD_SECRET_COMMAND', value)
    expect(commandOf("vault  read $HOME 'x'")).toMatchObject({ command: ['vault', 'read', '$HOME', "'x'"] })
    expect(commandOf('["my vault", "read one"]')).toMatchObject({ command: ['my vault', 'read one'] })
    for (const wrong of [' ', '["vault"', '[1]', '[]'])
      expect(mistakesOf({ WATCHWORD_SECRET_COMMAND: wrong })).toEqual([
        expect.stringContaining('WATCHWORD_SECRET_COMMAND: must be a program'),
      ])
  })

  test('is given once', () => {
    expect(mistakesOf({ WATCHWORD_SECRET: text, WATCHWORD_SECRET_FILE: 'x' })).toEqual([
      '  WATCHWORD_SECRET and WATCHWORD_SECRET_FILE: give one of them',
    ])
    const shared = { WATCHWORD_DATABASE_URL: 'postgres://somewhere' }
    expect(mistakesOf(shared)).toEqual([expect.stringContaining('WATCHWORD_SECRET: is needed')])
    expect(mistakesOf({ ...shared, WATCHWORD_SECRET_COMMAND: 'vault' })).toEqual([])
  })
})

test('traces are set by the names of OpenTelemetry, too, and ours count first', () => {
  const collector = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=otp',
  }
  const traces = { url: 'http://collector:4318', headers: { 'x-tenant': 'otp' }, share: 1 }
  expect(readConfig(collector).traces).toEqual(traces)
  const exact = { ...collector, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other:4318/v1/traces' }
  expect(readConfig(exact).traces).toEqual({ ...traces, url: 'http://other:4318' })
  expect(readConfig({ ...exact, WATCHWORD_TRACES_URL: 'http://ours:4318' }).traces?.url).toBe('http://ours:4318')
  expect(readConfig({ OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=otp' }).traces).toBeUndefined()
})

test('every mistake is named at once, also of a name that is none; what is empty is not set', () => {
  const env = { WATCHWORD_PORT: 'x', WATCHWORD_PRICE_SMS: '-1', WATCHWORD_PRIZE: '1', PRIZE: '1', WATCHWORD_HOST: '' }
  expect(mistakesOf(env).map((line) => line.trim().split(':')[0])).toEqual([
    'WATCHWORD_PORT',
    'WATCHWORD_PRICE_SMS',
    'WATCHWORD_PRIZE',
  ])
  expect(readConfig({ WATCHWORD_HOST: '' }).host).toBe('127.0.0.1')
})

test('a setting of an earlier release that is gone names what has taken its place', () => {
  expect(mistakesOf({ WATCHWORD_OPERATOR_WEBHOOK_URL: 'https://ops.example.com/hook' })).toEqual([
    expect.stringMatching(/OPERATOR_WEBHOOK_URL: notices tell of incidents now: .*`watchword notice add --help`/),
  ])
})

test('a flag wins over the environment, and a wrong flag is a mistake of usage', () => {
  expect(readConfig({ WATCHWORD_PORT: '1' }, { PORT: '2' }).port).toBe(2)
  const isUsage = (env: Record<string, string>, flags: Record<string, string>) => {
    try {
      readConfig(env, flags)
    } catch (error) {
      return (error as ConfigError).isUsage
    }
  }
  expect([isUsage({}, { PORT: 'x' }), isUsage({ WATCHWORD_PORT: 'x' }, { HOST: 'a' })]).toEqual([true, false])
})

describe('--data beside a PostgreSQL', () => {
  const shared = { WATCHWORD_DATABASE_URL: 'postgres://somewhere', WATCHWORD_SECRET: 'x'.repeat(32) }

  test.each(['WATCHWORD_DATABASE_URL', 'WATCHWORD_DATABASE_URL_FILE'])('is refused with %s', (name) => {
    const env = { WATCHWORD_SECRET: shared.WATCHWORD_SECRET, [name]: 'postgres://somewhere' }
    expect(mistakesOf(env, { DATA: '/data' })).toEqual([
      `  --data names a data folder, and ${name} a PostgreSQL: give one of them`,
    ])
  })

  test('is a mistake of usage, and the folder of the environment is none', () => {
    let thrown: unknown
    try {
      readConfig(shared, { DATA: '/data' })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ name: 'ConfigError', isUsage: true })
    expect(readConfig({ ...shared, WATCHWORD_DATA: '/data' }).database?.url).toBe('postgres://somewhere')
  })
})

test('are described with what they are without being set, which may be nothing', () => {
  const described = describeSettings()
  for (const { name, meaning } of described)
    expect([name, meaning]).toEqual([name, expect.stringMatching(/^[A-Z].{10,}$/)])
  const defaults = Object.fromEntries(described.map(({ name, byDefault }) => [name, byDefault]))
  expect(defaults).toMatchObject({
    WATCHWORD_HOST: '127.0.0.1',
    WATCHWORD_PORT: '8787',
    WATCHWORD_SECRET: '',
    WATCHWORD_TRUSTED_PROXIES: '',
    WATCHWORD_WEBHOOK_ALLOW_HTTP: 'false',
    WATCHWORD_WEBHOOK_PORTS: '',
  })
})

test('a PostgreSQL is backed up by its own means', () => {
  const env = {
    WATCHWORD_DATABASE_URL: 'postgres://db/watchword',
    WATCHWORD_SECRET: 'x'.repeat(32),
    WATCHWORD_BACKUP_AT: '03:00',
  }
  expect(() => readConfig(env)).toThrow(
    'WATCHWORD_BACKUP_AT: is for a data folder; a PostgreSQL is backed up by pg_dump',
  )
})
