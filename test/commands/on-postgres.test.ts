/** Every command of the command line on a PostgreSQL, as in a shell that has `WATCHWORD_DATABASE_URL` set. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { SQL } from 'bun'
import type { Command } from 'commander'
import { endingOf } from '../../src/cli/output'
import { createProgram } from '../../src/cli/program'
import { VERSION } from '../../src/domain/operations/version'
import { readNames } from '../../src/store/postgres/inspect'
import { openStore } from '../../src/store/postgres/open'
import { systemClock } from '../../src/system/clock'
import { systemPasswords } from '../../src/system/passwords'
import { createVault, systemRandom } from '../../src/system/vault'
import { join as joinPeople } from '../../src/usecases/people'
import { fromSource, type Json, newFolder, Server, StubCarrier } from '../binary/support'
import { VirtualClock } from '../support/clock'
import { type Database, sharedPostgres } from '../support/postgres'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const SECRET = 'the secret of a command line on PostgreSQL'
const NEXT_SECRET = 'what comes after the secret of a command line'
const folder = newFolder()
/** Nothing may come to be there. */
const data = join(folder.path, 'watchword-data')
const before = { ...process.env }
let database: Database
let env: Record<string, string>
let carrier: StubCarrier

beforeAll(async () => {
  database = await (await sharedPostgres()).database()
  env = { WATCHWORD_DATABASE_URL: database.url, WATCHWORD_SECRET: SECRET, WATCHWORD_DATA: data }
  Object.assign(process.env, env)
  carrier = new StubCarrier()
})
afterAll(async () => {
  for (const name of Object.keys(env)) delete process.env[name]
  Object.assign(process.env, before)
  process.exitCode = 0
  await carrier.stop()
  await database.drop()
  folder.remove()
})

/** What was typed, by its words. */
const typed = new Set<string>()

const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

/** What a line prints. */
async function said(...words: string[]): Promise<string> {
  let printed = ''
  const writing = spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text
    return true
  })
  const program = (await createProgram({ isJson: true, words })).hook(
    'preAction',
    (_, command) => void typed.add(pathOf(command)),
  )
  try {
    await program.parseAsync(['bun', 'watchword', ...words])
    return printed
  } finally {
    writing.mockRestore()
    process.exitCode = 0
  }
}

const told = async (...words: string[]): Promise<Json> => JSON.parse(await said(...words, '--json'))

/** Why a line is refused. */
const refused = (...words: string[]): Promise<{ code: string; message: string }> =>
  said(...words).then(
    () => ({ code: '', message: '' }),
    (error) => endingOf(error),
  )

/** What the doctor finds, each as `state: message`. */
const found = async (...words: string[]): Promise<Record<string, string>> => {
  const { checks } = await told('doctor', ...words)
  return Object.fromEntries(checks.map(({ check, state, message }: Json) => [check, `${state}: ${message}`]))
}

/** Here the database has time enough to answer: who types would not wait for it on a busy machine. */
async function candidates(...words: string[]): Promise<string[]> {
  const { after } = systemClock
  using _ = spyOn(systemClock, 'after').mockImplementation((_ms, callback) => after(HANGS_AFTER_MS, callback))
  return shown(await said('complete', '--', ...words))
}

const shown = (lines: string) => lines.split('\n').flatMap((line) => line.split('\t')[0] || [])

/** As if another PostgreSQL were named. */
async function at(url: string, work: () => Promise<void>): Promise<void> {
  process.env.WATCHWORD_DATABASE_URL = url
  await work().finally(() => {
    process.env.WATCHWORD_DATABASE_URL = database.url
  })
}

/** Who types waits for no longer. */
const SOON_MS = 1_000

let appId = ''
let testKey = ''

describe('on an empty PostgreSQL', () => {
  test('the doctor makes nothing, and completion knows nothing', async () => {
    expect(await found()).toEqual({ database: expect.stringMatching(/^problem: There is nothing of Watchword in /) })
    expect(await candidates('key', 'list', '--app', '')).toEqual([])
    expect(await found()).toEqual({ database: expect.stringMatching(/^problem: There is nothing of Watchword in /) })
  })
})

describe('on PostgreSQL', () => {
  test('apps and keys', async () => {
    ;({ appId } = await told('app', 'create', 'shop'))
    await told('app', 'rename', appId, 'web shop')
    await told('app', 'region', appId, 'US')
    const { protection } = await told(
      'app',
      'protect',
      appId,
      '--open',
      'kr',
      'JP',
      '--resend',
      '30',
      '--lock',
      'operator',
    )
    expect(protection).toMatchObject({ open: ['KR', 'JP'], resendMs: { sk: 30_000, pk: 30_000 }, lockMs: null })
    expect((await told('app', 'protect', appId)).protection).toEqual(protection)
    const { texts } = await told('app', 'texts', appId, '--web-otp-domain', 'app.example.com')
    expect(texts).toEqual({ webOtpDomain: 'app.example.com', localeByCountry: false })
    expect((await told('app', 'texts', appId)).texts).toEqual(texts)
    expect((await told('app', 'proofs', appId, '--metadata', 'on')).metadata).toBe(true)
    expect((await told('app', 'proofs', appId)).metadata).toBe(true)
    expect(await told('app', 'retention', appId, '--days', '30')).toEqual({ appId, days: 30, own: true })
    expect(await told('app', 'retention', appId, '--as-server')).toEqual({ appId, days: 180, own: false })
    const file = join(folder.path, 'vendor.secret')
    writeFileSync(file, 'secret-at-the-vendor\n')
    const ofVendor = ['--vendor', 'recaptcha', '--secret-file', file, '--site-key', 'site', '--min-score', '.7']
    const challenge = { vendor: 'recaptcha', siteKey: 'site', onOutage: 'refuse', minScore: 0.7 }
    expect(await told('app', 'challenge', appId)).toEqual({ appId, challenge: null })
    expect(await told('app', 'challenge', appId, ...ofVendor)).toEqual({ appId, challenge })
    expect(await told('app', 'challenge', appId)).toEqual({ appId, challenge })
    expect(await told('app', 'challenge', appId, '--min-score', '--hostname', 'A.example')).toEqual({
      ...{ appId, challenge: { ...challenge, minScore: undefined, hostnames: ['a.example'] } },
    })
    expect(await told('app', 'challenge', appId, '--remove', '--yes')).toEqual({ appId, challenge: null })
    expect(await told('incident', 'list')).toEqual({ incidents: [] })
    const lane = { kind: 'pk', country: 'GB' } as const
    const incidentId = '0199a3c0-1111-7000-8000-000000000000'
    const quiet = {
      endedAt: undefined,
      pausedUntil: undefined,
      pauses: 0,
      refunded: undefined,
    }
    const store = await openStore({
      url: database.url,
      size: 2,
      clock: systemClock,
      vault: createVault(Buffer.from(SECRET)),
    })
    const saving = store.transaction((tx) =>
      tx.traffic.saveIncident({
        ...{ incidentId, appId, ...lane, since: 1, lastAt: 2, isBlocked: true, refused: 3, rules: ['cap'], cost: 4 },
        ...quiet,
      }),
    )
    await saving.finally(() => store.close())
    expect((await told('incident', 'list')).incidents).toMatchObject([{ incidentId, appId, country: 'GB', cost: 4 }])
    expect(await told('incident', 'end', incidentId, '--yes')).toMatchObject({ incidentId, keyKind: 'pk' })
    expect(await told('incident', 'refund', incidentId, '--yes')).toMatchObject({ given: { issues: 0, credits: 0 } })
    const block = await told('app', 'block', appId, '--country', 'gb', '--yes')
    expect(block).toMatchObject({ appId, country: 'GB' })
    expect(await told('app', 'unblock', appId, '--country', 'GB')).toEqual({ appId, country: 'GB' })
    expect(await told('app', 'unlock', appId, '+82 10 1234 5678')).toEqual({ appId, wasWaiting: false })
    expect((await told('app', 'list')).apps).toMatchObject([{ appId, name: 'web shop', region: 'US' }])
    const create = ['key', 'create', '--app', appId]
    ;({ key: testKey } = await told(...create, '--kind', 'sk', '--mode', 'test'))
    const { keyId } = await told(...create, '--kind', 'pk', '--mode', 'live', '--origin', 'https://a.example')
    expect(await told('key', 'allow', keyId, 'from')).toMatchObject({ allows: ['from'] })
    const { keyId: next } = await told('key', 'rotate', keyId)
    await told('key', 'revoke', next)
    expect((await told('key', 'list', '--app', appId)).keys).toHaveLength(3)
  })

  test('credit', async () => {
    const add = ['credit', 'add', '--app', appId, '--amount', '10', '--reference', 'first']
    expect(await told(...add)).toMatchObject({ balance: 10 })
    expect(await told(...add)).toMatchObject({ balance: 10 })
    await told('credit', 'overdraft', '--app', appId, '--limit', '5')
    const clawback = ['credit', 'clawback', '--app', appId, '--amount', '3', '--reference', 'first']
    expect(await told(...clawback)).toMatchObject({ balance: 7 })
    const incident = ['--outcome', 'failed', '--from', '2026-01-01', '--to', '2026-01-02', '--dry-run']
    expect(await told('credit', 'refund', '--all-apps', ...incident)).toMatchObject({ issues: 0 })
  })

  test('carriers and routes', async () => {
    const set = ['--type', 'http', '--channel', 'sms', '--url', carrier.url]
    await told('provider', 'set', 'main', ...set)
    expect(await told('provider', 'test', 'main', '--to', '+821012345678')).toMatchObject({ kind: 'accepted' })
    const rotate = ['--set', 'headers.X-Api-Key=new', '--to', '+821012345678']
    expect(await told('provider', 'rotate', 'main', ...rotate)).toMatchObject({ kind: 'accepted', isRotated: true })
    expect(await told('provider', 'types', 'twilio')).toMatchObject({ types: [{ type: 'twilio', channels: ['sms'] }] })
    // Only a carrier of the type `whatsapp` has a template at Meta.
    expect(await refused('provider', 'whatsapp-template', 'main')).toMatchObject({ code: 'not_found' })
    await told('route', 'set', 'sms', 'main')
    expect((await told('provider', 'list')).providers).toMatchObject([{ name: 'main', state: 'healthy' }])
    expect(await told('route', 'explain', '--app', appId, '--to', '+821012345678')).toMatchObject({
      legs: [{ channel: 'sms', carriers: [{ name: 'main', state: 'next' }] }],
    })
    expect((await told('route', 'list')).routes).toMatchObject([{ channel: 'sms', providers: ['main'] }])
    expect(await told('provider', 'pause', 'main')).toEqual({ name: 'main', paused: true })
    expect((await told('provider', 'list')).providers).toMatchObject([{ name: 'main', state: 'paused' }])
    expect(await told('provider', 'resume', 'main')).toEqual({ name: 'main', paused: false })
    await told('plan', 'set', appId, 'sms', 'whatsapp:8,sms')
    expect(await told('plan', 'list', appId)).toEqual({
      plans: [{ channel: 'sms', legs: [{ channel: 'whatsapp', waitSec: 8 }, { channel: 'sms' }] }],
    })
    await told('plan', 'remove', appId, 'sms', '--yes')
  })

  test('notices and their ways', async () => {
    using receiver = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
    const url = `http://127.0.0.1:${receiver.port}/`
    const { wayId, secret } = await told('notice', 'add', 'pager', '--by', 'webhook', '--url', url)
    expect(secret).toStartWith('whsec_')
    expect(await told('notice', 'ways')).toMatchObject({
      ways: [{ wayId, name: 'pager', target: url }],
    })
    expect(await told('notice', 'test', wayId)).toEqual({ wayId, taken: true })
    expect(await told('notice', 'list', '--all')).toEqual({ notices: [] })
    await told('notice', 'remove', wayId, '--yes')
  })

  test('relays, review numbers, and purposes of Twilio Verify', async () => {
    const { relayId, secret } = await told('relay', 'add', appId, 'login', '--source', 'supabase')
    expect(secret).toStartWith('v1,whsec_')
    expect((await told('relay', 'list', appId)).relays).toMatchObject([{ relayId, name: 'login', source: 'supabase' }])
    expect((await told('relay', 'secret', relayId)).secret).not.toBe(secret)
    await told('relay', 'remove', relayId, '--yes')
    const { code } = await told('review', 'add', appId, 'App Store', '+821012345678')
    expect(code).toMatch(/^\d{6}$/)
    expect((await told('review', 'list', appId)).reviewNumbers).toMatchObject([{ name: 'App Store', code }])
    await told('review', 'remove', appId, 'App Store')
    expect(await told('app', 'twilio', appId, '--purpose', 'signup')).toMatchObject({ accountSid: expect.any(String) })
  })

  test('prices, and tokens of finance', async () => {
    const { priceId } = await told('price', 'set', '9.9', 'KRW', '--carrier', 'main', '--from', '2026-01-01')
    const set = { priceId, amount: '9.9', currency: 'KRW', carrier: 'main', country: '', channel: '' }
    expect((await told('price', 'list')).prices).toEqual([{ ...set, validFrom: '2026-01-01' }])
    await told('price', 'remove', priceId, '--yes')
    const { tokenId, token } = await told('report-token', 'create', 'ERP')
    expect(token).toStartWith('rpt_')
    expect((await told('report-token', 'list')).tokens).toMatchObject([{ tokenId, name: 'ERP', createdBy: 'cli' }])
    await told('report-token', 'revoke', tokenId, '--yes')
  })

  test('tokens of the management API, and configuration as a file', async () => {
    const made = await told('token', 'create', 'git', '--scopes', 'apps:write', '--apps', appId)
    expect(made).toMatchObject({
      name: 'git',
      scopes: ['apps:write'],
      appIds: [appId],
      token: expect.stringMatching(/^adm_/),
    })
    expect((await told('token', 'list')).tokens).toMatchObject([{ tokenId: made.tokenId }])
    await told('token', 'revoke', made.tokenId, '--yes')
    const exported = await told('export')
    const file = join(folder.path, 'exported.json')
    writeFileSync(file, JSON.stringify({ apps: exported.apps }))
    expect(await told('apply', '-f', file)).toEqual({ steps: [], applied: true, shown: [] })
  })

  test('templates and webhooks', async () => {
    await told('template', 'set', 'own', '--app', appId, '--body', '#{code}')
    expect((await told('template', 'list', '--app', appId)).templates).toMatchObject([{ templateId: 'own' }])
    const inJapanese = ['own', '--app', appId, '--locale', 'ja']
    const { bodies } = await told('template', 'translate', ...inJapanese, '--body', 'コード #{code}')
    expect(bodies).toEqual({ ja: { body: 'コード #{code}' } })
    expect((await told('template', 'preview', ...inJapanese)).text).toBe('コード 123456\n@app.example.com #123456')
    const to = ['--url', 'https://hooks.example/', '--events', 'otp.sent', '--mode', 'test']
    const { endpointId } = await told('webhook', 'add', '--app', appId, ...to)
    await told('webhook', 'update', endpointId, '--events', 'otp.verified')
    await told('webhook', 'rotate', endpointId)
    const { eventId } = await told('webhook', 'test', endpointId)
    await told('webhook', 'preview', '--template', '{"id":"{{data.id}}"}')
    expect((await told('webhook', 'events', endpointId)).events).toMatchObject([{ eventId }])
    await told('webhook', 'replay', endpointId, '--event', eventId)
    expect((await told('webhook', 'list', '--app', appId)).webhooks).toMatchObject([{ endpointId }])
    expect(await candidates('webhook', 'events', '')).toEqual([endpointId])
    await told('webhook', 'remove', endpointId, '--yes')
  })

  test('what is stored of a phone', async () => {
    const number = join(folder.path, 'number.txt')
    writeFileSync(number, '+82 10-1234-5678\n')
    const exported = JSON.parse(await said('privacy', 'export', '--phone-file', number))
    expect(exported).toMatchObject({ phoneNumber: '+821012345678', apps: [{ appId }], issues: [] })
    expect(await told('privacy', 'erase', '--phone-file', number, '--yes')).toEqual({
      issues: 0,
      counted: 0,
      events: 0,
      isLogEmptied: true,
    })
    const { erased } = await told('privacy', 'erased')
    expect(erased).toEqual([expect.stringMatching(/^\d+ [0-9a-f]{64} \*$/)])
    const list = join(folder.path, 'erased.txt')
    writeFileSync(list, `${erased[0].replace(/^\d+/, '9999999999999')}\n`)
    expect(await told('privacy', 'again', list)).toEqual({
      ...{ phones: 1, issues: 0, counted: 0, events: 0, isLogEmptied: true },
    })
    expect((await refused('privacy', 'erase', '--phone-file', number)).code).toBe('usage')
  })

  test('people and the audit log', async () => {
    const { url } = await told('operator', 'invite', '--role', 'owner')
    const viewer = await told('operator', 'invite', '--role', 'viewer')
    const vault = createVault(Buffer.from(SECRET))
    const store = await openStore({ url: database.url, size: 2, clock: systemClock, vault })
    const who = { token: url.split('#')[1], name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' }
    const deps = { store, vault, clock: systemClock, random: systemRandom, passwords: systemPasswords }
    const bob = { ...who, token: viewer.url.split('#')[1], name: 'Bob', email: 'bob@example.com' }
    await joinPeople(deps, {}, who)
    await joinPeople(deps, {}, bob).finally(() => store.close())
    expect(await told('operator', 'set', bob.email, '--role', 'support', '--apps', appId)).toMatchObject({
      ...{ email: bob.email, role: 'support', appIds: [appId] },
    })
    await told('operator', 'set', bob.email, '--role', 'developer')
    const rights = async () =>
      (await told('operator', 'list')).operators.find((one: { email: string }) => one.email === bob.email)
    expect(await rights()).toMatchObject({ role: 'developer', appIds: [appId] })
    await told('operator', 'set', bob.email, '--apps')
    expect((await rights()).appIds).toBeUndefined()
    // The only owner remains one.
    expect(await refused('operator', 'set', who.email, '--role', 'support')).toMatchObject({ code: 'invalid' })
    await told('operator', 'reset', who.email)
    await told('operator', 'unlock', who.email)
    const [newest] = (await told('audit', 'list', '--limit', '1')).entries
    expect(newest).toMatchObject({ action: 'operator.unlock' })
    expect(await told('audit', 'verify', '--holds', newest.hash)).toMatchObject({ isIntact: true })
    expect(await told('audit', 'accept')).toEqual({ lost: [] })
  })

  test('a server: issues, the queue, the servers there are, and whether it is ready', async () => {
    await using server = await serving()
    const { url } = server
    const { issueId } = (await server.issue(testKey, '010-0000-0000')).body
    expect(await told('issue', 'show', issueId)).toMatchObject({ issueId, mode: 'test' })
    expect((await told('issue', 'list', '--app', appId, '--mode', 'test')).issues).toMatchObject([{ issueId }])
    expect((await told('queue')).queue).toBeArray()
    expect((await told('nodes')).nodes).toMatchObject([{ state: 'working' }])
    const killed = { nodeId: 'killed', name: 'gone:1', version: '0.1.0' }
    const sql = new SQL(database.url)
    await sql`INSERT INTO nodes SELECT ${killed.nodeId}, ${killed.name}, ${killed.version}, clock_ms() - 60000, clock_ms() - 10000, false, 0`
    await sql.close()
    const [{ nodeId: working }] = (await told('nodes')).nodes.filter(
      ({ state }: { state: string }) => state === 'working',
    )
    expect((await told('nodes')).nodes).toContainEqual(expect.objectContaining({ ...killed, state: 'silent' }))
    expect(await refused('nodes', 'forget', working)).toMatchObject({ code: 'conflict' })
    expect(await refused('nodes', 'forget', 'nobody')).toMatchObject({ code: 'not_found' })
    expect(await told('nodes', 'forget', killed.nodeId)).toMatchObject(killed)
    expect((await told('audit', 'list', '--limit', '1')).entries).toMatchObject([
      { action: 'node.forget', target: killed.nodeId, detail: { name: killed.name } },
    ])
    expect((await told('nodes')).nodes).toMatchObject([{ state: 'working' }])
    const right = Date.now
    const wrong = spyOn(Date, 'now').mockImplementation(() => right() + 3_600_000)
    expect((await told('nodes')).nodes).toMatchObject([{ state: 'working' }])
    expect(await found()).toMatchObject({
      clocks: expect.stringMatching(/^warn: .* (3599|3600)\.\d s ahead of the database's/),
      nodes: expect.stringMatching(/^ok: /),
    })
    wrong.mockRestore()
    expect(await told('healthcheck', '--url', url)).toMatchObject({ ready: true })
    expect(await found()).toMatchObject({
      secret: expect.stringMatching(/^ok: WATCHWORD_SECRET opens/),
      database: expect.stringMatching(/^ok: postgres:\/\/postgres@127\.0\.0\.1:.* PostgreSQL \d+\.\d+, \d+ MiB/),
      tls: expect.stringMatching(/^ok: .* does not leave this machine/),
      connections: 'ok: Each server takes up to 24 of 197 connections: 1 are at work, and 8 could be.',
      nodes: expect.stringMatching(/^ok: At work: \S+:\d+ \(\d+\.\d+\.\d+\)\.$/),
      clocks: expect.stringMatching(/^ok: /),
      audit: expect.stringMatching(/^ok: /),
      backups: expect.stringMatching(/^ok: PostgreSQL keeps no archive/),
    })
  })

  test('completion asks the database, of one app where it is given', async () => {
    expect(await candidates('key', 'list', '--app', '')).toEqual([appId])
    expect(await candidates('provider', 'remove', 'm')).toEqual(['main'])
    expect(await candidates('template', 'remove', '--app', appId, '')).toEqual(['own'])
    expect(await candidates('template', 'remove', '--app', 'app_other', '')).toEqual([])
    expect(await candidates('operator', 'reset', 'a')).toEqual(['ann@example.com'])
  })

  test('completion is silent where nobody answers, and soon', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    const { port } = silent.address() as { port: number }
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`
    await at(url, async () => {
      expect(shown(await said('complete', '--', 'key', 'list', '--app', ''))).toEqual([])
    })
    const clock = new VirtualClock(0)
    const names = readNames({ url, clock }, 'apps')
    expect(clock.fireNext(SOON_MS)).toEqual({ fired: true, passedMs: SOON_MS })
    expect(await names).toEqual([])
    silent.close()
  })

  test.each([
    ['backup', ['backup'], /pg_dump/],
    ['restore', ['restore', import.meta.path, '--yes'], /pg_restore/],
    ['restore --check', ['restore', '--check'], /pg_restore/],
    ['a new beginning', ['serve', '--new'], /--new is for a data folder/],
  ])('%s is for data folders only, and says what is done instead', async (_, words, message) => {
    expect(await refused(...words)).toMatchObject({
      code: 'not_embedded',
      message: expect.stringMatching(message),
    })
  })

  test('a data folder named on the command line is refused, by each command that takes one', async () => {
    const elsewhere = join(folder.path, 'named')
    const message = '--data names a data folder, and WATCHWORD_DATABASE_URL a PostgreSQL: give one of them'
    for (const words of [['serve'], ['quickstart'], ['app', 'list'], ['backup'], ['restore', '--check']])
      expect([words, await refused(...words, '--data', elsewhere)]).toEqual([
        words,
        expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) }),
      ])
    expect(await found('--data', elsewhere)).toEqual({ configuration: expect.stringContaining(message) })
    expect(await candidates('key', 'list', '--data', elsewhere, '--app', '')).toEqual([])
    expect(existsSync(elsewhere)).toBe(false)
  })

  test('nobody who is out of reach is mistaken for a defect', async () => {
    const text = 'postgres://ann@127.0.0.1:1/there does not answer'
    await at('postgres://ann:secret@127.0.0.1:1/there', async () => {
      expect(await refused('app', 'list')).toMatchObject({ code: 'database', message: expect.stringContaining(text) })
      expect(await found()).toEqual({ database: expect.stringContaining(text) })
    })
  })

  test('what was made is removed', async () => {
    await told('route', 'remove', 'sms', '--yes')
    await told('provider', 'remove', 'main', '--yes')
    await told('template', 'remove', 'own', '--app', appId, '--yes')
    await told('app', 'remove', appId, '--yes')
    expect((await told('app', 'list')).apps).toEqual([])
  })

  test('what needs no database needs none here', async () => {
    expect(await said('completion', 'bash')).toContain('complete')
    expect(await refused('licenses')).toMatchObject({ code: 'unavailable' })
    expect((await told('version')).version).toBe(VERSION)
    expect(await refused('conformance', '--url', 'http://127.0.0.1:1', '--key', 'sk_live_x')).toMatchObject({
      code: 'test_key',
    })
  })

  test('the secret is changed, and the old one opens nothing any more', async () => {
    const state = { secret: 'WATCHWORD_SECRET', changedAt: null, underWay: false, isNew: false, older: 0 }
    expect(await told('secret', 'status')).toEqual(state)
    expect(await refused('secret', 'rotate')).toMatchObject({ code: 'invalid' })
    const file = join(folder.path, 'new.secret')
    writeFileSync(file, `${NEXT_SECRET}\n`, { mode: 0o600 })
    expect(await told('secret', 'rotate', '--new-file', file)).toMatchObject({ finished: false, older: 0 })
    const underWay = { ...state, changedAt: expect.any(String), underWay: true }
    expect(await told('secret', 'status')).toEqual(underWay)
    expect(await refused('secret', 'rotate', '--finish')).toMatchObject({ code: 'conflict' })
    process.env.WATCHWORD_SECRET = NEXT_SECRET
    expect(await told('secret', 'status')).toEqual({ ...underWay, isNew: true })
    expect(await told('secret', 'rotate', '--finish')).toMatchObject({ finished: true })
    expect(await told('audit', 'verify')).toMatchObject({ isIntact: true })
    process.env.WATCHWORD_SECRET = SECRET
    expect(await refused('secret', 'status')).toMatchObject({ code: 'wrong_secret' })
    process.env.WATCHWORD_SECRET = NEXT_SECRET
  })

  test('no command was left out, and none made a data folder', async () => {
    const leaves = leavesOf(await createProgram({ isJson: false })).filter((path) => !ELSEWHERE.has(path))
    expect(leaves.filter((path) => !typed.has(path))).toEqual([])
    expect(existsSync(data)).toBe(false)
  })
})

/** They are told where the database is by their arguments, or are tried as processes: here, and in test/binary. */
const ELSEWHERE = new Set(['move', 'quickstart'])

const leavesOf = (parent: Command): string[] =>
  parent.commands.flatMap((child) => (child.commands.length > 0 ? leavesOf(child) : [pathOf(child)]))

async function serving(): Promise<Server & AsyncDisposable> {
  const server = await Server.start(fromSource(folder.path, env))
  return Object.assign(server, { [Symbol.asyncDispose]: async () => void (await server.stop()) })
}
