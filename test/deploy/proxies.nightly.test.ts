/**
 * Proxies in front, as `deploy/proxy` has them: what a client writes reaches the server as it was written, nobody's address is
 * made up, and nothing that issues is lost while a server is replaced or after one was killed. Needs Debian's packages `nginx`,
 * `caddy` and `haproxy`.
 */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:tls'
import { type Json, newFolder, type Program, programIn, runJson, Server, StubCarrier } from '../binary/support'
import { freePort } from '../support/free-port'
import { type HeldSocket, holdSocket } from '../support/held-socket'
import { sharedPostgres } from '../support/postgres'
import { PROXIES, type RunningProxy } from '../support/proxies'
import { asking, sendRaw } from '../support/raw'
import { HANGS_AFTER_MS, until } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

/** What came to the server behind: the request line as it was written, and the headers. */
interface Came {
  url: string
  headers: IncomingHttpHeaders
}

/** As `asking`, over TLS. */
function askRaw(port: number, path: string, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false }, () =>
      socket.write(asking(path, 'GET', headers)),
    )
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

const statusIn = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])

/** As clients write them, and as those do who look for a way around a rule. */
const PATHS = [
  '/',
  '/healthz',
  '/console',
  '/console/',
  '/console/keys?app=a%2Fb',
  '/v1/openapi.json',
  '/v1/issues',
  '/v1/templates/otp%20default',
  '/v1/templates/a%2Fb',
  '/v1/rpc/otp/balance',
  '/v1/%2e%2e/console/keys',
  '/console%2Fkeys',
  '/%63onsole',
  '//console',
  '/v1//issues',
  '/CONSOLE',
  '/healthz/',
]

/** Where a proxy may say itself that this is no path. */
const ABOVE = ['/v1/../console', '/./console', '/console/x/../rpc/session/current', '/x/../console']

describe.each(Object.entries(PROXIES))('%s', (_, start) => {
  const folder = newFolder()
  const came: Came[] = []
  const behind = createServer((request, response) => {
    came.push({ url: request.url ?? '', headers: request.headers })
    response.end('here')
  })
  const program = programIn(folder.path, { WATCHWORD_TRUSTED_PROXIES: '127.0.0.0/8' })
  let server: Server
  let key: string
  const running: RunningProxy[] = []
  const [toStub, toServer] = [() => running[0]?.port ?? 0, () => running[1]?.port ?? 0]

  beforeAll(async () => {
    await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve))
    server = await Server.start(program)
    const { appId } = await runJson(program, 'app', 'create', 'shop')
    key = (await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test')).key
    for (const port of [(behind.address() as AddressInfo).port, Number(new URL(server.url).port)]) {
      running.push(await start([port]))
    }
  })
  afterAll(async () => {
    for (const { stop } of running) await stop()
    behind.close()
    await server?.stop('SIGKILL')
    folder.remove()
  })

  test('passes each path on as it was written', async () => {
    came.length = 0
    for (const path of PATHS) expect([path, statusIn(await askRaw(toStub(), path))]).toEqual([path, 200])
    expect(came.map(({ url }) => url)).toEqual(PATHS)
  })

  test('says who asks, whatever they say of themselves', async () => {
    came.length = 0
    await askRaw(toStub(), '/', { 'X-Forwarded-For': '203.0.113.7', 'X-Real-IP': '203.0.113.7' })
    expect(came[0]?.headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      host: 'localhost',
    })
  })

  test('leads nobody to what the server answers nowhere', async () => {
    for (const path of [...PATHS, ...ABOVE]) {
      const direct = statusIn(await sendRaw(server.url, asking(path)))
      const through = statusIn(await askRaw(toServer(), path))
      expect([path, ABOVE.includes(path) && through === 400 ? direct : through]).toEqual([path, direct])
    }
  })

  test('leaves it to the server to say that a body is too large', async () => {
    const post = (bytes: number) =>
      fetch(`https://localhost:${toServer()}/v1/issue`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ purpose: 'x'.repeat(bytes) }),
        tls: { rejectUnauthorized: false },
      })
    const large = await post(200_000)
    expect([large.status, large.headers.get('content-type')]).toEqual([413, 'application/json'])
    expect((await post(5_000_000)).status).toBe(413)
  })
})

const CLIENTS = 8
/** How many codes are issued before something happens, and after it. */
const ENOUGH = 100
/** How many are issued while several servers come and go. */
const MANY = 5_000

/** Clients that issue and verify through a proxy all the time, each over a connection that it keeps. */
class IssuingLoad {
  answered = 0
  /** What was not answered by a server: 5xx, and connections that broke. */
  readonly lost: string[] = []
  #isOver = false
  readonly #clients: Promise<unknown>

  constructor(
    private readonly port: number,
    private readonly key: string,
    private readonly verifies = false,
  ) {
    this.#clients = Promise.all(Array.from({ length: CLIENTS }, (_, client) => this.#issue(client)))
  }

  async more(codes = ENOUGH): Promise<void> {
    const goal = this.answered + codes
    await until(() => this.answered >= goal, 'codes to be issued')
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#clients
  }

  async #issue(client: number): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      const digits = String(client * 100_000 + turn).padStart(8, '0')
      const request = { phoneNumber: `010${digits}`, purpose: 'signup', idempotencyKey: `client-${client}-${turn}` }
      const issued = await this.#ask('/v1/issue', request)
      if (issued) this.answered++
      // A wrong code, so that each is answered the same.
      if (issued && this.verifies) await this.#ask('/v1/verify', { issueId: issued.issueId, code: '000000' })
    }
  }

  /** Undefined where the answer was lost. */
  async #ask(path: string, body: object): Promise<Json> {
    const outcome = await this.#post(path, body).catch((error) => String(error))
    if (typeof outcome !== 'string' && outcome.status < 500) return outcome.json()
    this.lost.push(
      `${path} ${typeof outcome === 'string' ? outcome : `${outcome.status} ${(await outcome.text()).slice(0, 100)}`}`,
    )
    return undefined
  }

  #post(path: string, body: object): Promise<Response> {
    return fetch(`https://localhost:${this.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.key}` },
      body: JSON.stringify(body),
      tls: { rejectUnauthorized: false },
    })
  }
}

describe.each(Object.entries(PROXIES))('%s, while codes are issued', (name, start) => {
  const folder = newFolder()
  const carrier = new StubCarrier()
  afterAll(async () => {
    await carrier.stop()
    folder.remove()
  })

  /** What a test has started, also where it fails. */
  const ending: Array<() => unknown> = []
  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end()
  })

  /** An app with credit and a carrier; answers its key. */
  async function furnished(program: Program): Promise<string> {
    const { appId } = await runJson(program, 'app', 'create', 'shop')
    await runJson(program, 'credit', 'add', '--app', appId, '--amount', '100000')
    await runJson(program, 'provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', carrier.url)
    return (await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live')).key
  }

  test('loses nothing while the server of one machine is replaced, whose socket is handed over', async () => {
    const socket = await holdSocket()
    const program = programIn(folder.path, {
      WATCHWORD_PORT: String(socket.port),
      WATCHWORD_TRUSTED_PROXIES: '127.0.0.0/8',
    })
    let server = socket.start(program)
    ending.push(socket.close, () => server.stop())
    await server.listens()
    const proxy = await start([socket.port])
    ending.push(() => proxy.stop())
    const load = new IssuingLoad(proxy.port, await furnished(program))
    ending.push(() => load.end())
    for (const _ of Array(3)) {
      await load.more()
      expect(await server.stop()).toBe(0)
      server = socket.start(program)
      await server.listens()
    }
    await load.more()
    await load.end()
    expect(load.lost).toEqual([])
  })

  /** Two servers over one PostgreSQL, behind the proxy, under load. */
  async function severalServers({ areReplaced = false }: { areReplaced?: boolean } = {}) {
    const database = await (await sharedPostgres()).database()
    const program = programIn(folder.path, {
      WATCHWORD_DATABASE_URL: database.url,
      WATCHWORD_SECRET: 'the secret of two servers behind a proxy',
      WATCHWORD_TRUSTED_PROXIES: '127.0.0.0/8',
      // As it is where nobody sets it.
      WATCHWORD_LEAVING_MS: '1000',
    })
    // nginx does not ask whether a server is ready, so there a server that is replaced has a socket that outlives it.
    const places = await Promise.all(
      [0, 1].map(() => (areReplaced && name === 'nginx' ? holdSocket() : { port: freePort() })),
    )
    const begin = async (place: { port: number } | HeldSocket) => {
      if (!('start' in place)) return Server.start(program, '--port', String(place.port))
      const server = place.start({ ...program, env: { ...program.env, WATCHWORD_PORT: String(place.port) } })
      await server.listens()
      return server
    }
    const servers = await Promise.all(places.map(begin))
    ending.push(
      () => database.drop(),
      () => Promise.all(servers.map((server) => server.stop('SIGKILL'))),
      ...places.flatMap((place) => ('close' in place ? [place.close] : [])),
    )
    const proxy = await start(places.map(({ port }) => port))
    ending.push(() => proxy.stop())
    const load = new IssuingLoad(proxy.port, await furnished(program), areReplaced)
    ending.push(() => load.end())
    const replace = async (at: 0 | 1) => {
      expect(await servers[at]?.stop()).toBe(0)
      servers[at] = await begin(places[at] as { port: number })
    }
    return { servers, replace, proxy, load }
  }

  test('loses nothing of five thousand codes while two servers are replaced, one after the other', async () => {
    const { replace, load } = await severalServers({ areReplaced: true })
    for (let round = 0; load.answered < MANY; round++) {
      await load.more()
      await replace(round % 2 === 0 ? 0 : 1)
      await load.more(MANY / 10)
    }
    await load.end()
    expect(load.lost).toEqual([])
  })

  test('loses only what was under way when it is restarted itself', async () => {
    const { proxy, load } = await severalServers()
    await load.more()
    await proxy.restart()
    await load.more(MANY)
    await load.end()
    // Until it listens again nobody answers: these are connections that were refused.
    expect(load.lost.filter((one) => !/refused|ECONNRESET|closed|Unable to connect/i.test(one))).toEqual([])
  })

  test('loses nothing that can be sent again where one of two servers is killed', async () => {
    const { servers, load } = await severalServers()
    await load.more()
    await servers[0]?.stop('SIGKILL')
    await load.more(MANY)
    await load.end()
    // Caddy sends no body again over a connection that has died: until it has looked anew, these are for the client to repeat.
    const ofClients = name === 'caddy' ? load.lost.filter((one) => one.startsWith('/v1/issue 502')) : []
    expect(load.lost.filter((one) => !ofClients.includes(one))).toEqual([])
  })
})
