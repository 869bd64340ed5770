/** One file that does everything: built as it is released, alone in an empty folder, with an empty environment. */
import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { isNightly } from '../support/depth'
import { HANGS_AFTER_MS, until } from '../support/until'
import { alone, compile } from './compiled'
import { jsonHere, runHere } from './in-process'
import { type Ended, type Json, type Program, run, runJson, Server, StubCarrier } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const PHONE = '010-1234-5678'
const E164 = '+821012345678'

const undo: Array<() => unknown> = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

let binary = ''
beforeAll(async () => {
  binary = await compile()
})

/** The binary alone in an empty folder. */
function newProgram(): Program {
  const { program, remove } = alone(binary)
  undo.push(remove)
  return program
}

async function newServer(program: Program, ...args: string[]): Promise<Server> {
  const server = await Server.start(program, ...args)
  undo.push(() => server.stop('SIGKILL'))
  return server
}

function newCarrier(): StubCarrier {
  const carrier = new StubCarrier()
  undo.push(() => carrier.stop())
  return carrier
}

async function newApp(program: Program, credit = 0): Promise<{ appId: string; live: string; test: string }> {
  const { appId } = await jsonHere(program, 'app', 'create', 'demo')
  const key = async (mode: string) =>
    (await jsonHere(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', mode)).key
  if (credit > 0) await jsonHere(program, 'credit', 'add', '--app', appId, '--amount', String(credit))
  return { appId, live: await key('live'), test: await key('test') }
}

const useCarrier = (program: Program, { url }: StubCarrier) =>
  jsonHere(program, 'provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', url)

const openDatabase = ({ cwd }: Program) => new Database(join(cwd, 'watchword-data', 'watchword.db'))

/** Refused in one readable message: nothing on stdout, no stack trace. */
const isRefusal = ({ exitCode, stdout, stderr }: Ended) =>
  exitCode > 0 && stdout === '' && stderr.trim() !== '' && !/^\s+at |\$bunfs/m.test(stderr)

function expectRefusal(ended: Ended): void {
  expect({ ...ended, isRefusal: isRefusal(ended) }).toEqual({ ...ended, isRefusal: true })
}

describe('alone in an empty folder', () => {
  let program: Program
  let server: Server
  const kept: Array<() => unknown> = []

  beforeAll(async () => {
    program = newProgram()
    server = await newServer(program)
    kept.push(...undo.splice(0))
  })
  afterAll(async () => {
    for (const step of kept.reverse()) await step()
  })

  test('its first line says where it listens, and there is nothing else on stdout', () => {
    const [line = '', ...rest] = server.stdout.split('\n')
    const listening = JSON.parse(line)
    expect(listening.event).toBe('listening')
    expect(listening.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(listening.docs).toBe(`${listening.url}/docs`)
    expect(rest).toEqual([''])
  })

  test('it makes its data folder and nothing else, with a key file only its owner can read', () => {
    expect(readdirSync(program.cwd).sort()).toEqual(['watchword', 'watchword-data'])
    const data = join(program.cwd, 'watchword-data')
    expect(statSync(data).mode & 0o777).toBe(0o700)
    expect(statSync(join(data, 'watchword.secret')).mode & 0o777).toBe(0o600)
    expect(server.stderr).toContain('back this file up')
  })

  test('health, docs and description are inside', async () => {
    expect((await server.call('GET', '/healthz')).body).toEqual({ status: 'ok' })
    expect(await server.call('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } })
    const page = await server.call('GET', '/docs')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toContain('text/html')
    const script = await server.call('GET', '/docs/scalar.js')
    expect(script.status).toBe(200)
    expect(script.body.length).toBeGreaterThan(1_000_000)
    expect((await server.call('GET', '/docs/start.js')).body).toContain('/v1/openapi.json')
    const [, icon = ''] = /<link rel="icon" href="([^"]+)">/.exec(page.body) ?? []
    expect((await server.call('GET', icon)).headers.get('content-type')).toBe('image/svg+xml')
    const { body } = await server.call('GET', '/v1/openapi.json')
    expect(body.openapi).toMatch(/^3\.1\./)
    expect(Object.keys(body.paths)).toContain('/issue')
  })

  test('a test code is issued and verified with a key made beside the running server', async () => {
    const { appId } = await runJson(program, 'app', 'create', 'demo')
    const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test')
    const issued = await server.issue(key, '010-0000-0000')
    expect(issued).toMatchObject({ status: 200, body: { mode: 'test' } })
    expect((await server.verify(key, issued.body.issueId, '000000')).body).toMatchObject({ verified: true })
  })

  test('every answer carries a request id', async () => {
    for (const path of ['/', '/healthz', '/docs', '/docs/scalar.js', '/v1/openapi.json', '/v1/balance', '/v1/none']) {
      expect((await server.call('GET', path)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  const SIZES: Array<[string, number]> = [
    ['64 KiB and 1 byte', 64 * 1024 + 1],
    ['5 MiB', 5 * 1024 * 1024],
  ]
  describe.each(SIZES)('a body of %s', (_, size) => {
    test.each(['content-length', 'chunked'] as const)(
      'sent by %s is 413 in the envelope, on the socket',
      async (by) => {
        const { test: key } = await newApp(program)
        const [head = '', body = ''] = (await sendRaw(server.url, key, size, by)).split('\r\n\r\n')
        expect(head).toStartWith('HTTP/1.1 413 ')
        expect(head.toLowerCase()).toContain('x-request-id: ')
        expect(JSON.parse(body)).toEqual({
          defined: true,
          code: 'PAYLOAD_TOO_LARGE',
          status: 413,
          message: expect.any(String),
        })
        expect((await server.call('GET', '/healthz')).status).toBe(200)
      },
    )
  })

  test('a body of exactly 64 KiB is read', async () => {
    const { test: key } = await newApp(program)
    const input = JSON.stringify({ phoneNumber: '010-0000-0000', purpose: 'large', idempotencyKey: 'large' })
    const answer = await server.call('POST', '/v1/issue', key, input.padEnd(64 * 1024, ' '))
    expect(answer.status).toBe(200)
  })

  test('a key that is given twice is refused by its name', async () => {
    const { test: key } = await newApp(program)
    const answer = await server.call('POST', '/v1/issue', key, '{"purpose":"signup","purpose":"login"}')
    expect(answer).toMatchObject({ status: 400, body: { data: { param: 'purpose', reason: 'duplicate_field' } } })
  })

  test('logs are one JSON object a line', () => {
    const lines = server.stderr.trim().split('\n')
    expect(lines.length).toBeGreaterThan(5)
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) })
  })
})

/** `POST /v1/issue` with so many spaces for a body, written to the socket as it is; answers what came back. */
function sendRaw(url: string, key: string, size: number, by: 'content-length' | 'chunked'): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => {
      const framing = by === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${size}`
      socket.write(
        `POST /v1/issue HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`,
      )
      for (let sent = 0; sent < size; sent += 16_384) {
        const piece = Buffer.alloc(Math.min(16_384, size - sent), ' ')
        socket.write(by === 'chunked' ? `${piece.length.toString(16)}\r\n${piece}\r\n` : piece)
      }
      if (by === 'chunked') socket.write('0\r\n\r\n')
    })
    socket.on('data', (bytes) => {
      answer += bytes
      if (answer.endsWith('}')) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

describe('live delivery', () => {
  test('a code arrives as a text, verifies, and costs one credit', async () => {
    const program = newProgram()
    const carrier = newCarrier()
    const { live } = await newApp(program, 10)
    await useCarrier(program, carrier)
    const server = await newServer(program)

    const issued = await server.issue(live, PHONE)
    expect(issued).toMatchObject({ status: 200, body: { mode: 'live' } })
    await until(() => carrier.codeFor(E164), 'the text to arrive')
    expect(carrier.received).toHaveLength(1)
    expect(carrier.received[0]).toMatchObject({ channel: 'sms', to: E164 })
    const code = carrier.codeFor(E164)
    expect(code).toMatch(/^\d{6}$/)
    expect((await server.verify(live, issued.body.issueId, code)).body).toMatchObject({ verified: true, mode: 'live' })

    const balance = async () => (await server.call('GET', '/v1/balance', live)).body.balance
    await until(async () => (await balance()) === 9, 'the credit to be charged')
    const ledger = (await server.call('GET', '/v1/credit-ledger', live)).body.items
    expect(ledger.map(({ entryType, amountDelta }: Json) => [entryType, amountDelta])).toEqual([
      ['debit', -1],
      ['credit', 10],
    ])
  })

  test('another spelling of a number is the same phone: its issue replaces the first', async () => {
    const program = newProgram()
    const carrier = newCarrier()
    const { live } = await newApp(program, 10)
    await useCarrier(program, carrier)
    const server = await newServer(program)

    const first = (await server.issue(live, PHONE)).body.issueId
    await until(() => carrier.received.length === 1, 'the first text')
    const firstCode = carrier.codeFor(E164)
    const second = (await server.issue(live, '+82 10-1234-5678')).body.issueId
    await until(() => carrier.received.length === 2, 'the second text')
    expect((await server.verify(live, first, firstCode)).body).toMatchObject({ reasonCode: 'REPLACED' })
    expect((await server.verify(live, second, carrier.codeFor(E164))).body).toMatchObject({ verified: true })
  })

  test('a carrier set up beside the running server is used at once', async () => {
    const program = newProgram()
    const carrier = newCarrier()
    const { live } = await newApp(program, 10)
    const server = await newServer(program)
    expect(await server.issue(live, PHONE)).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } })
    const target = ['--type', 'http', '--channel', 'sms', '--url', carrier.url]
    await runJson(program, 'provider', 'set', 'main', ...target)
    expect((await server.issue(live, PHONE)).status).toBe(200)
    await until(() => carrier.received.length === 1, 'the text to arrive')
  })

  test('a key that is revoked beside the running server stops working at once', async () => {
    const program = newProgram()
    const server = await newServer(program)
    const { appId } = await runJson(program, 'app', 'create', 'demo')
    const { key, keyId } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test')
    expect((await server.call('GET', '/v1/balance', key)).status).toBe(200)
    await runJson(program, 'key', 'revoke', keyId)
    expect((await server.call('GET', '/v1/balance', key)).status).toBe(401)
  })
})

describe('ends and starts', () => {
  test('SIGTERM waits for a carrier that is slow to answer, records it and exits with 0', async () => {
    const program = newProgram()
    const carrier = newCarrier()
    const { live } = await newApp(program, 10)
    await useCarrier(program, carrier)
    const first = await newServer(program)
    const isAnswered = Promise.withResolvers<void>()
    carrier.answer = async ({ messageId }) => {
      await isAnswered.promise
      return Response.json({ id: messageId })
    }
    const { issueId } = (await first.issue(live, PHONE)).body
    await until(() => carrier.received.length === 1, 'the carrier to be called')
    const exitCode = first.stop('SIGTERM')
    await until(() => first.stderr.includes('draining'), 'the server to drain')
    expect(first.child.exitCode).toBeNull()
    isAnswered.resolve()
    expect(await exitCode).toBe(0)

    const database = openDatabase(program)
    expect(database.query('SELECT outcome FROM attempts').all()).toEqual([{ outcome: 'accepted' }])
    database.close()

    const second = await newServer(program)
    expect(await second.status(live, issueId)).toMatchObject({ deliveryStatus: 'sent' })
    const isCharged = async () => (await second.call('GET', '/v1/balance', live)).body.balance === 9
    await until(isCharged, 'what was drained to be charged')
    expect((await second.verify(live, issueId, carrier.codeFor(E164))).body).toMatchObject({ verified: true })
    expect(carrier.received).toHaveLength(1)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends an idle server with 0, and leaves a clean database',
    async (signal) => {
      const program = newProgram()
      const server = await newServer(program)
      expect((await server.call('GET', '/healthz')).status).toBe(200)
      expect(await server.stop(signal)).toBe(0)
      expect(server.stderr).not.toContain('"level":"error"')
      const database = openDatabase(program)
      expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
      database.close()
    },
  )

  test('killed between the carrier taking a text and its answer, it never sends that text again', async () => {
    const program = newProgram()
    const carrier = newCarrier()
    const { live } = await newApp(program, 10)
    await useCarrier(program, carrier)
    carrier.answer = () => new Promise<Response>(() => {})
    const first = await newServer(program)
    const { issueId } = (await first.issue(live, PHONE)).body
    await until(() => carrier.received.length === 1, 'the carrier to be called')
    await first.stop('SIGKILL')
    carrier.answer = ({ messageId }) => Response.json({ id: messageId })
    const second = await newServer(program)
    await until(
      async () => (await second.status(live, issueId)).deliveryStatus === 'sent',
      'the outcome to be recorded',
    )
    expect(await second.status(live, issueId)).toMatchObject({
      providerOutcomeAmbiguous: true,
      providerOutcomeCode: 'INTERRUPTED',
      verificationStatus: 'issued',
    })
    const isCharged = async () => (await second.call('GET', '/v1/balance', live)).body.balance === 9
    await until(isCharged, 'the ambiguous text to be charged')
    expect((await second.verify(live, issueId, carrier.codeFor(E164))).body).toMatchObject({ verified: true })
    // Nothing is left to be done for it, and what is issued later goes out alone.
    const database = openDatabase(program)
    expect(database.query("SELECT count(*) AS left FROM jobs WHERE kind = 'deliver'").get()).toEqual({ left: 0 })
    database.close()
    await second.issue(live, '010-8765-4321')
    await until(() => carrier.codeFor('+821087654321'), 'a later text')
    expect(carrier.received.filter(({ to }) => to === E164)).toHaveLength(1)
  })

  test('killed at once after its answer, it has forgotten nothing', async () => {
    const program = newProgram()
    const { test: key } = await newApp(program)
    const first = await newServer(program)
    const input = { idempotencyKey: 'survives' }
    const issued = await first.issue(key, '010-0000-0000', input)
    await first.stop('SIGKILL')
    const second = await newServer(program)
    expect((await second.issue(key, '010-0000-0000', input)).body).toEqual(issued.body)
    expect((await second.verify(key, issued.body.issueId, '000000')).body).toMatchObject({ verified: true })
  })

  test('a database of a newer release is refused, and left as it is', async () => {
    const program = newProgram()
    await runJson(program, 'app', 'create', 'demo')
    const database = openDatabase(program)
    database.run('PRAGMA user_version = 99')
    database.close()
    for (const args of [
      ['serve', '--port', '0'],
      ['app', 'list'],
      ['app', 'create', 'second'],
    ]) {
      const refused = await run(program, ...args)
      expectRefusal(refused)
      expect(refused.stderr).toContain('99')
      expect(refused.stderr.trim().split('\n')).toHaveLength(1)
    }
    const after = openDatabase(program)
    expect(after.query('PRAGMA user_version').get()).toEqual({ user_version: 99 })
    expect(after.query('SELECT count(*) AS apps FROM apps').get()).toEqual({ apps: 1 })
    after.close()
  })

  test("a master secret that is not the database's is refused, and the right one still works", async () => {
    const program = newProgram()
    const right = { ...program, env: { WATCHWORD_SECRET: 'the right master secret, 32 characters or more' } }
    const wrong = { ...program, env: { WATCHWORD_SECRET: 'another master secret, 32 characters or more' } }
    await runJson(right, 'app', 'create', 'demo')
    expect(readdirSync(join(program.cwd, 'watchword-data'))).not.toContain('watchword.secret')
    for (const args of [
      ['serve', '--port', '0'],
      ['app', 'list'],
    ]) {
      const refused = await run(wrong, ...args)
      expectRefusal(refused)
      expect(refused.stderr).toContain('master secret')
      expect(refused.stderr).not.toContain('another master secret')
    }
    expect((await runJson(right, 'app', 'list')).apps).toHaveLength(1)
  })

  test('a file that is no database is refused readably', async () => {
    const program = newProgram()
    mkdirSync(join(program.cwd, 'watchword-data'))
    writeFileSync(join(program.cwd, 'watchword-data', 'watchword.db'), 'not a database at all\n'.repeat(100))
    expectRefusal(await run(program, 'app', 'list'))
  })

  test.each(['', 'too short\n'])('a key file that holds %j is refused: it is no secret', async (content) => {
    const program = newProgram()
    await runJson(program, 'app', 'create', 'demo')
    writeFileSync(join(program.cwd, 'watchword-data', 'watchword.secret'), content)
    const refused = await run(program, 'app', 'list')
    expectRefusal(refused)
    expect(refused.stderr).toContain('watchword.secret')
  })

  test('a port that is taken is refused readably', async () => {
    const { port } = new URL((await newServer(newProgram())).url)
    const refused = await run(newProgram(), 'serve', '--port', port)
    expectRefusal(refused)
    expect(refused.stderr).toContain(port)
  })
})

describe('a data folder', () => {
  test('has one server at a time; another is refused readably, and let in when the first was killed', async () => {
    const program = newProgram()
    const first = await newServer(program)
    const refused = await run(program, 'serve', '--port', '0')
    expectRefusal(refused)
    expect(refused.stderr).toContain('Another server')
    expect((await first.call('GET', '/healthz')).status).toBe(200)
    await first.stop('SIGKILL')
    expect((await (await newServer(program)).call('GET', '/healthz')).status).toBe(200)
  })
})

describe('what lies about in its folder', () => {
  test('bunfig.toml does not make it run code', async () => {
    const program = newProgram()
    writeFileSync(join(program.cwd, 'preload.ts'), "console.log('this ran'); process.exit(7)")
    writeFileSync(join(program.cwd, 'bunfig.toml'), 'preload = ["./preload.ts"]')
    const { exitCode, stdout } = await run(program, 'app', 'create', 'demo', '--json')
    expect({ exitCode, name: JSON.parse(stdout).name }).toEqual({ exitCode: 0, name: 'demo' })
  })

  test('.env is no configuration: that comes from the environment and flags alone', async () => {
    const program = newProgram()
    writeFileSync(join(program.cwd, '.env'), 'WATCHWORD_DATA=./elsewhere')
    await runJson(program, 'app', 'create', 'demo')
    expect(readdirSync(program.cwd).sort()).toEqual(['.env', 'watchword', 'watchword-data'])
  })
})

describe('wrong configuration', () => {
  test('every mistake is named in one refusal', async () => {
    const program = newProgram()
    const env = {
      WATCHWORD_SECRET: 'short',
      WATCHWORD_LOG_LEVEL: 'loud',
      WATCHWORD_TRUSTED_PROXIES: '10.0.0.0/99',
      WATCHWORD_PUBLIC_URL: 'ftp://example.com',
      WATCHWORD_PROVIDER_TIMEOUT_MS: '60000',
      WATCHWORD_PROT: '8080',
    }
    const refused = await run({ ...program, env }, 'serve', '--port', '99999')
    expectRefusal(refused)
    for (const name of [...Object.keys(env), 'WATCHWORD_PORT']) expect(refused.stderr).toContain(name)
    expect(refused.stderr).not.toContain('WATCHWORD_HOST')
    expect(readdirSync(program.cwd)).toEqual(['watchword'])
  })

  test.each([
    [['serve', '--port', 'http'], 'PORT'],
    [['serve', '--port', '-1'], 'PORT'],
    [['serve', '--host', ''], 'HOST'],
    [['serve', '--data', ''], 'DATA'],
    [['serve', '--prot', '80'], '--prot'],
    [['serve', 'now'], 'argument'],
    [['srve'], 'srve'],
    [['app', 'crate'], 'crate'],
    [['serve', '--data', './watchword'], 'watchword'],
  ])('%j is refused in a readable line', async (args, mentions) => {
    const program = newProgram()
    const refused = await run(program, ...args)
    expectRefusal(refused)
    expect(refused.stderr).toContain(mentions)
    expect(readdirSync(program.cwd)).toEqual(['watchword'])
  })

  test('flags win over the environment', async () => {
    const program = newProgram()
    const env = { WATCHWORD_PORT: '1', WATCHWORD_DATA: './from-env', WATCHWORD_PUBLIC_URL: 'https://otp.example.com/' }
    const server = await newServer({ ...program, env }, '--data', './from-flag')
    expect(readdirSync(program.cwd).sort()).toEqual(['from-flag', 'watchword'])
    expect(JSON.parse(server.stdout)).toMatchObject({ docs: 'https://otp.example.com/docs' })
  })
})

/** So manyeth of what would take a program each is asked of the program. */
const SOME = 8
const AT_ONCE = isNightly ? 12 : 6

describe('the command line', () => {
  /** One of each, with the answers that say it worked. */
  async function useEveryCommand(program: Program): Promise<void> {
    const app = await runJson(program, 'app', 'create', 'demo')
    expect(Object.keys(app)).toEqual(['appId', 'organizationId', 'name'])
    const { appId } = app

    const sk = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live')
    expect(Object.keys(sk)).toEqual(['keyId', 'key', 'kind', 'mode', 'scopes', 'allowedOrigins'])
    expect(sk).toMatchObject({ kind: 'sk', mode: 'live', scopes: ['*'], allowedOrigins: [] })
    expect(sk.key).toMatch(/^sk_[0-9A-Za-z]{49}$/)
    const origins = ['--origin', 'https://a.example.com', '--origin', 'http://b.example.com:8080']
    const pk = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'pk', '--mode', 'live', ...origins)
    expect(pk).toMatchObject({
      scopes: ['otp:issue', 'otp:verify'],
      allowedOrigins: ['https://a.example.com', 'http://b.example.com:8080'],
    })
    const narrow = await runJson(
      program,
      ...['key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live', '--scope', 'otp:read'],
      ...['--cidr', '10.0.0.0/8', '--expires', '2099-01-31', '--issues-per-min', '5', '--verifies-per-min', '6'],
      ...['--reads-per-min', '7', '--issues-per-min-per-ip', '2'],
    )
    expect(narrow).toMatchObject({ scopes: ['otp:read'] })
    const { keys } = await runJson(program, 'key', 'list', '--app', appId)
    expect(keys).toHaveLength(3)
    expect(keys.find(({ keyId }: Json) => keyId === narrow.keyId)).toMatchObject({
      allowedCidrs: ['10.0.0.0/8'],
      limits: { issuesPerMin: 5, verifiesPerMin: 6, readsPerMin: 7, issuesPerMinPerIp: 2 },
    })
    for (const { key } of [sk, pk, narrow]) expect(JSON.stringify(keys)).not.toContain(key.slice(12, -4))
    const revoked = await runJson(program, 'key', 'revoke', sk.keyId)
    expect(revoked).toEqual({ keyId: sk.keyId, revokedAt: expect.stringMatching(/Z$/) })
    // Revoking twice is no mistake; the first time counts.
    expect(await runJson(program, 'key', 'revoke', sk.keyId)).toEqual(revoked)

    expect(await runJson(program, 'credit', 'add', '--app', appId, '--amount', '10')).toEqual({ appId, balance: 10 })
    expect(await runJson(program, 'credit', 'overdraft', '--app', appId, '--limit', '5')).toEqual({
      appId,
      overdraftLimit: 5,
    })
    const { apps } = await runJson(program, 'app', 'list')
    expect(apps.find((row: Json) => row.appId === appId)).toMatchObject({ name: 'demo', balance: 10, reserved: 0 })

    const provider = await runJson(
      program,
      ...['provider', 'set', 'main', '--type', 'http', '--channel', 'sms,alimtalk', '--reports'],
      ...['--url', 'https://carrier.example.com/send', '--header', 'X-Api-Key: header-secret-of-the-carrier'],
    )
    expect(provider).toMatchObject({ name: 'main', type: 'http', channels: ['sms', 'alimtalk'] })
    expect(provider.reportUrl).toEndWith('/provider-reports/main')
    const listed = await runJson(program, 'provider', 'list')
    expect(listed).toEqual({
      providers: [
        {
          name: 'main',
          type: 'http',
          channels: ['sms', 'alimtalk'],
          state: 'healthy',
          unreported: 0,
          refusedReports: [],
        },
      ],
    })
    expect(await runJson(program, 'provider', 'remove', 'main', '--yes')).toEqual({ name: 'main', removed: true })

    writeFileSync(join(program.cwd, 'body.txt'), 'Your code is #{code}, #{name}.\n')
    const template = await runJson(
      program,
      ...['template', 'set', 'welcome', '--app', appId, '--body', '@body.txt', '--name', 'Welcome'],
      ...['--channel', 'sms', '--variable', 'name?=[a-z]+', '--provider-code', 'W1'],
    )
    expect(template).toMatchObject({
      templateId: 'welcome',
      body: 'Your code is #{code}, #{name}.',
      variables: { name: { required: false, pattern: '[a-z]+' } },
    })
    expect((await runJson(program, 'template', 'list', '--app', appId)).templates).toHaveLength(1)
  }

  test('every command works while no server runs', async () => {
    await useEveryCommand(newProgram())
  })

  test('every command works while the server runs', async () => {
    const program = newProgram()
    const server = await newServer(program)
    await useEveryCommand(program)
    expect((await server.call('GET', '/readyz')).status).toBe(200)
  })

  test('without --json it answers people', async () => {
    const program = newProgram()
    const { appId } = await newApp(program)
    for (const [args, says] of [
      [['app', 'create', 'demo'], 'Created app app_'],
      [['app', 'list'], appId],
      [['key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test'], 'sk_test_'],
      [['key', 'list', '--app', appId], 'key_'],
      [['credit', 'add', '--app', appId, '--amount', '3'], '3 CREDIT'],
    ] as Array<[string[], string]>) {
      const { exitCode, stdout } = await run(program, ...args)
      expect(exitCode).toBe(0)
      expect(stdout).toContain(says)
      expect(stdout).not.toContain('{')
    }
  })

  test('processes that start at once in an empty folder share one key file and one organization', async () => {
    const program = newProgram()
    const made = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) => runJson(program, 'app', 'create', `app ${n}`)),
    )
    expect(new Set(made.map(({ organizationId }) => organizationId)).size).toBe(1)
    expect((await runJson(program, 'app', 'list')).apps).toHaveLength(AT_ONCE)
  })

  test('commands of many processes at once are all carried out', async () => {
    const program = newProgram()
    const server = await newServer(program)
    const { appId, live } = await newApp(program)
    await Promise.all(
      Array.from({ length: AT_ONCE }, () => runJson(program, 'credit', 'add', '--app', appId, '--amount', '1')),
    )
    expect((await server.call('GET', '/v1/balance', live)).body.balance).toBe(AT_ONCE)
  })

  test('bad input is refused in a readable line that names it, and changes nothing', async () => {
    const program = newProgram()
    const { appId } = await newApp(program)
    const key = (...args: string[]) => ['key', 'create', '--app', appId, ...args]
    const pk = (...args: string[]) => key('--kind', 'pk', '--mode', 'live', ...args)
    const sk = (...args: string[]) => key('--kind', 'sk', '--mode', 'live', ...args)
    const credit = (amount: string) => ['credit', 'add', '--app', appId, '--amount', amount]
    const provider = (...args: string[]) => ['provider', 'set', 'main', '--channel', 'sms', ...args]
    const http = (...args: string[]) => provider('--type', 'http', '--url', 'http://127.0.0.1:1/', ...args)
    const template = (...args: string[]) => ['template', 'set', 'welcome', '--app', appId, ...args]
    const cases: Array<[string[], RegExp]> = [
      [['app', 'create'], /name/],
      [['app', 'create', ''], /name/],
      [['app', 'create', 'a\nb'], /name/],
      [['app', 'create', 'x'.repeat(101)], /name/],
      [['key', 'create', '--app', 'app_unknown', '--kind', 'sk', '--mode', 'test'], /app_unknown/],
      [['key', 'list'], /--app/],
      [['key', 'revoke', 'key_unknown'], /key_unknown/],
      [['credit', 'add', '--app', 'app_unknown', '--amount', '1'], /app_unknown/],
      [['credit', 'overdraft', '--app', 'app_unknown', '--limit', '1'], /app_unknown/],
      [['template', 'set', 'welcome', '--app', 'app_unknown', '--body', '#{code}'], /app_unknown/],
      [['provider', 'remove', 'unknown'], /unknown/],
      [key('--kind', 'zk', '--mode', 'live'), /--kind/],
      [key('--kind', 'sk', '--mode', 'dead'), /--mode/],
      [key('--kind', 'sk'), /--mode/],
      [sk('--scope', 'otp:everything'), /otp:everything/],
      [pk('--origin', 'https://a.example.com', '--scope', '*'), /scope/],
      [pk('--origin', 'https://a.example.com', '--scope', 'otp:issue', '--scope', 'otp:read'), /scope/],
      [pk(), /origin/],
      [pk('--origin', 'https://a.example.com/path'), /origin/],
      [pk('--origin', 'https://a.example.com/'), /origin/],
      [pk('--origin', 'https://*.example.com'), /origin/],
      [pk('--origin', '*'), /origin/],
      [pk('--origin', 'null'), /origin/],
      [pk('--origin', 'HTTPS://A.example.com'), /origin/],
      [sk('--origin', 'https://a.example.com'), /origin/],
      [sk('--cidr', '10.0.0.0'), /cidr/],
      [pk('--origin', 'https://a.example.com', '--cidr', '10.0.0.0/8'), /cidr/],
      [sk('--expires', 'soon'), /--expires/],
      [sk('--issues-per-min', 'many'), /--issues-per-min/],
      [key('--kind', 'sk', '--mode', 'test', '--issues-per-min', '5'), /limit/],
      [credit('0'), /amount/],
      [credit('-5'), /amount/],
      [credit('ten'), /amount/],
      [credit('1.5'), /amount/],
      [credit('1e3'), /amount/],
      [credit(''), /amount/],
      [credit('9'.repeat(15)), /amount/],
      [credit('9'.repeat(30)), /amount/],
      [['credit', 'add', '--app', appId], /--amount/],
      [['credit', 'overdraft', '--app', appId, '--limit', '-1'], /limit/],
      [['credit', 'overdraft', '--app', appId, '--limit', '9999999999'], /overdraft/],
      [provider('--type', 'pigeon', '--url', 'http://127.0.0.1:1/'), /pigeon/],
      [provider('--type', 'http'), /url/],
      [provider('--type', 'http', '--url', 'carrier'), /url/],
      [provider('--type', 'http', '--url', 'ftp://carrier.example.com'), /url/],
      [['provider', 'set', 'main', '--type', 'http', '--channel', 'fax', '--url', 'http://127.0.0.1:1/'], /fax/],
      [['provider', 'set', 'a b', '--type', 'http', '--channel', 'sms', '--url', 'http://127.0.0.1:1/'], /name/],
      [http('--header', 'no colon'), /--header/],
      [http('--header', 'Bad Name: x'), /header/],
      [http('--header', 'X-Name: a\nb'), /header/],
      [template('--body', 'no code'), /code/],
      [template('--body', '@missing.txt'), /missing\.txt/],
      [template('--body', '#{code}', '--channel', 'fax'), /fax/],
      [template('--body', '#{code} #{name}', '--variable', 'name=['), /name/],
      [['template', 'set', 'a b', '--app', appId, '--body', '#{code}'], /templateId/],
    ]
    const before = await everything(program)
    const notRefused: Json[] = []
    for (const [n, [args, names]] of cases.entries()) {
      const refused = await (n % SOME === 0 ? run(program, ...args, '--json') : runHere(program, ...args))
      const lines = refused.stderr.trim().split('\n')
      if (!isRefusal(refused) || !names.test(refused.stderr) || lines.length > 1) notRefused.push({ args, ...refused })
    }
    expect(notRefused).toEqual([])
    expect(await everything(program)).toEqual(before)
  })

  async function everything(program: Program): Promise<Json> {
    const { apps } = await runJson(program, 'app', 'list')
    return {
      apps,
      keys: await runJson(program, 'key', 'list', '--app', apps[0].appId),
      providers: await runJson(program, 'provider', 'list'),
      templates: await runJson(program, 'template', 'list', '--app', apps[0].appId),
    }
  }

  test('--help explains a command and touches no data', async () => {
    const program = newProgram()
    // Those of every other command are read in test/commands/help.test.ts.
    for (const command of [[], ['serve'], ['app'], ['key', 'create']]) {
      const { exitCode, stdout, stderr } = await run(program, ...command, '--help')
      expect({ command, exitCode, stderr }).toEqual({ command, exitCode: 0, stderr: '' })
      expect(stdout).toStartWith(`Usage: ${['watchword', ...command].join(' ')}`)
    }
    const { stdout } = await run(program, '--help')
    for (const setting of ['WATCHWORD_PORT', 'WATCHWORD_SECRET', 'WATCHWORD_DATA']) expect(stdout).toContain(setting)
    expect((await run(program, '--version')).stdout).toMatch(/^\d+\.\d+\.\d+(-dev\.\d+\+[0-9a-f]{12}(\.dirty)?)?\n$/)
    expect(readdirSync(program.cwd)).toEqual(['watchword'])
  })

  test('quickstart prints keys and a curl that work', async () => {
    const program = newProgram()
    const child = Bun.spawn([...program.command, 'quickstart', '--port', '0'], {
      cwd: program.cwd,
      env: {},
      stdout: 'pipe',
      stderr: 'ignore',
    })
    undo.push(() => child.kill('SIGKILL'))
    let printed = ''
    for await (const chunk of child.stdout) {
      printed += new TextDecoder().decode(chunk)
      if (printed.includes('Ctrl+C')) break
    }
    const [, url = '', key = '', body = ''] =
      /curl -s (\S+) -H 'Authorization: Bearer (\S+)'.* -d '(.+)'/.exec(printed) ?? []
    expect(url).toEndWith('/v1/issue')
    expect(printed).toMatch(/Public key pk_test_/)
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'hello-1' },
      body,
    })
    expect(answer.status).toBe(200)
    child.kill('SIGINT')
    expect(await child.exited).toBe(0)
  })
})
