/** Which connection a request gets, over real sockets; the time is given. */
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { assertParses, HttpConnection } from '../../src/system/http-connection'
import { ConnectionPool } from '../../src/system/kept-connections'
import { createTransport } from '../../src/system/transport'
import { VirtualClock } from '../support/clock'
import { seededRandom } from '../support/random'
import { HANGS_AFTER_MS, until } from '../support/until'
import { inThisTurn, OK, Receiver, says, turns } from './receiver'

setDefaultTimeout(HANGS_AFTER_MS)

afterEach(() => Receiver.stopAll())

const HOUR_MS = 3_600_000
const KEPT_LONG = 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=60\r\nContent-Length: 2\r\n\r\nok'

/** Connections, the time they go by, and who asks over them. Time passes only where a test lets it. */
function setUp(left?: () => number) {
  const clock = new VirtualClock(0)
  const connections = new ConnectionPool(clock, left)
  const transport = createTransport(connections, clock)
  const ask = ({ port }: { port: number }, path = '/', timeoutMs = 3_000) =>
    transport.request({ method: 'POST', url: `http://127.0.0.1:${port}${path}`, headers: {}, body: '{}', timeoutMs })
  /** Timers that are due fire. */
  const pass = (ms: number) => {
    for (let left = ms; left > 0; ) left -= clock.fireNext(left).passedMs
  }
  return { clock, connections, transport, ask, pass }
}

const ok = { kind: 'answered', status: 200, body: 'ok' } as const

/** Says OK, unless the path has something else to be done. */
const knowing = (paths: Record<string, (socket: Socket) => void>) => (socket: Socket, request: string) => {
  const [, path = ''] = request.split(' ')
  const say = paths[path] ?? says(OK)
  say(socket)
}

describe('a connection', () => {
  test('serves one request after another', async () => {
    const server = await Receiver.start(says(OK))
    const { ask } = setUp()
    const warnings: Error[] = []
    const listen = (warning: Error) => void warnings.push(warning)
    process.on('warning', listen)
    for (let n = 0; n < 50; n++) expect(await ask(server)).toMatchObject(ok)
    process.off('warning', listen)
    // Of listeners that become more and more.
    expect(warnings).toEqual([])
    expect([server.connections, server.requests.length]).toEqual([1, 50])
    expect(server.requests[0]?.toLowerCase()).toContain('connection: keep-alive')
  })

  test.each<[string, string]>([
    ['a kilobyte of headers', `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(1_000)}\r\nContent-Length: 2\r\n\r\nok`],
    ['forty headers', `HTTP/1.1 200 OK\r\n${'X-Short: x\r\n'.repeat(40)}Content-Length: 2\r\n\r\nok`],
    ['answers before the answer', `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3)}${OK}`],
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\nX-Behind: it\r\n\r\n'],
    [
      'an end behind chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nConnection: close\r\n\r\n',
    ],
  ])('serves one after another whose answers have %s', async (_what, answer) => {
    const server = await Receiver.start(says(answer))
    const { ask } = setUp()
    for (let n = 0; n < 40; n++) expect(await ask(server)).toMatchObject(ok)
    expect(server.connections).toBe(1)
  })

  test('serves the next one after an answer without a body', async () => {
    const server = await Receiver.start(says('HTTP/1.1 204 No Content\r\n\r\n'))
    const { ask } = setUp()
    for (const _ of [1, 2]) expect(await ask(server)).toMatchObject({ kind: 'answered', status: 204, body: '' })
    expect(server.connections).toBe(1)
  })

  test('serves the next one after an answer that came letter by letter', async () => {
    const server = await Receiver.start(async (socket) => {
      for (const rendered of OK) {
        socket.write(rendered)
        await turns(1)
      }
    })
    const { ask } = setUp()
    for (const _ of [1, 2]) expect(await ask(server)).toMatchObject(ok)
    expect(server.connections).toBe(1)
  })

  test('on which a request was answered before it was written serves no other', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.pause().write(OK))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const { transport } = setUp()
    const request = { method: 'POST', url: `http://127.0.0.1:${port}/`, headers: {}, timeoutMs: 3_000 }
    for (const body of ['x'.repeat(20_000_000), '{}'])
      expect(await transport.request({ ...request, body })).toMatchObject(ok)
    server.close()
  })

  test('serves one request at a time', async () => {
    const server = await Receiver.start(says(OK))
    const { ask } = setUp()
    for (const _ of [1, 2]) await Promise.all(Array.from({ length: 5 }, () => ask(server)))
    expect([server.connections, server.requests.length]).toEqual([5, 10])
  })

  test.each<[string, number]>([
    ['Keep-Alive: timeout=5', 4_000],
    ['Keep-Alive: timeout=5, max=100', 4_000],
    ['keep-alive: max=100, Timeout=5', 4_000],
    ['Keep-Alive: timeout=2', 1_000],
    ['Keep-Alive: timeout=1', 500],
    ['Keep-Alive: timeout=86400', 30_000],
    ['Keep-Alive: max=100', 1_000],
    ['Keep-Alive: timeout=soon', 1_000],
    ['X-Nothing: said', 1_000],
  ])('after an answer with %s is surely open for %i ms', async (header, trustedMs) => {
    const server = await Receiver.start(says(`HTTP/1.1 200 OK\r\n${header}\r\nContent-Length: 2\r\n\r\nok`))
    const { ask, clock } = setUp()
    await ask(server)
    clock.leap(trustedMs - 1)
    expect(await ask(server)).toMatchObject(ok)
    expect(server.connections).toBe(1)
    clock.leap(trustedMs)
    expect(await ask(server)).toMatchObject(ok)
    expect(server.connections).toBe(2)
  })

  test.each<[string, string]>([
    ['says that it closes', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok'],
    ['says that it closes among others', 'HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 2\r\n\r\nok'],
    ['is of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    ['keeps it for no time', 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=0\r\nContent-Length: 2\r\n\r\nok'],
    ['is followed by another', `${OK}${OK}`],
  ])('whose answer %s is not used again', async (_what, answer) => {
    const server = await Receiver.start(says(answer))
    const { ask } = setUp()
    expect(await ask(server)).toMatchObject(ok)
    await until(() => server.open === 0, 'every connection to be closed')
    expect(await ask(server)).toMatchObject(ok)
    expect(server.connections).toBe(2)
  })

  test('of HTTP/1.0 is used again where both ask for it', async () => {
    const server = await Receiver.start(
      says('HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok'),
    )
    const { ask } = setUp()
    for (const _ of [1, 2]) expect(await ask(server)).toMatchObject(ok)
    expect(server.connections).toBe(1)
  })

  test.each<[string, (socket: Socket) => void, isSilent: boolean]>([
    ['that does not come', () => {}, true],
    ['that stops half-way', says('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id"'), true],
    ['that is too long', says(`HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`), false],
    ['that is no HTTP', says('hello\r\n\r\n'), false],
    ['that is followed by noise', says(`${OK}noise`), false],
  ])('with an answer %s is not used again', async (_what, say, isSilent) => {
    const server = await Receiver.start(knowing({ '/odd': say }))
    const { ask, pass } = setUp()
    expect(await ask(server)).toMatchObject(ok)
    const odd = ask(server, '/odd', 100)
    if (isSilent) {
      await until(() => server.requests.length === 2, 'the request to arrive')
      pass(100)
    }
    expect((await odd).kind).toBe('unknown')
    await until(() => server.open === 0, 'every connection to be closed')
    expect(server.requests).toHaveLength(2)
    expect(await ask(server)).toMatchObject(ok)
    expect(server.connections).toBe(2)
  })

  test('is closed when it has been idle for as long', async () => {
    const short = await Receiver.start(says(OK))
    const long = await Receiver.start(says(KEPT_LONG))
    const { ask, pass } = setUp()
    await ask(short)
    await ask(long)
    pass(2_000)
    await until(() => short.open === 0, 'the one of the short time to be closed')
    await ask(long)
    expect(long.connections).toBe(1)
    pass(31_000)
    await until(() => long.open === 0, 'the one of the long time to be closed')
  })

  test('that a crowd has left behind is closed, too', async () => {
    const server = await Receiver.start(says(OK))
    const { ask, pass } = setUp()
    await Promise.all([ask(server), ask(server)])
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      pass(400)
      await ask(server)
    }
    await until(() => server.open === 1, 'all connections but one to be closed')
    expect(server.connections).toBe(2)
  })

  test('serves also while no descriptor is left for another one', async () => {
    const server = await Receiver.start(says(OK))
    let left = 10
    const { transport } = setUp(() => left)
    const request = { method: 'GET', url: `http://127.0.0.1:${server.port}/`, headers: {}, timeoutMs: 3_000 }
    expect(await transport.request(request)).toMatchObject(ok)
    left = 8
    const both = await Promise.all([transport.request(request), transport.request(request)])
    expect(both.map(({ kind }) => kind)).toEqual(['answered', 'not_sent'])
    expect(server.connections).toBe(1)
  })

  test('lasts for a minute: a name may lead elsewhere by then', async () => {
    const server = await Receiver.start(says(OK))
    const { ask, clock } = setUp()
    for (let ms = 0; ms < 60_000; ms += 900) {
      await ask(server)
      clock.leap(900)
    }
    expect(server.connections).toBe(1)
    for (const _ of [1, 2]) await ask(server)
    expect(server.connections).toBe(2)
  })

  test('that is idle is closed when asked for', async () => {
    const server = await Receiver.start(says(OK))
    const { ask, connections } = setUp()
    await Promise.all([ask(server), ask(server)])
    connections.closeIdle()
    await until(() => server.open === 0, 'every connection to be closed')
  })

  test('that is idle holds up no process', async () => {
    const server = await Receiver.start(says(KEPT_LONG))
    const module = (name: string) => JSON.stringify(join(import.meta.dir, '../../src/system', name))
    const url = `http://127.0.0.1:${server.port}/`
    const script = `
      const { createTransport } = await import(${module('transport.ts')})
      const { kind } = await createTransport().request({ method: 'GET', url: '${url}', headers: {}, timeoutMs: ${HANGS_AFTER_MS} })
      console.log(kind)`
    const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
    expect(await new Response(child.stdout).text()).toBe('answered\n')
    expect(await child.exited).toBe(0)
  })
})

describe('a server that closes a connection', () => {
  const closings: Array<[string, (socket: Socket) => void]> = [
    ['in order', (socket) => socket.end()],
    ['by a reset', (socket) => socket.resetAndDestroy()],
  ]

  test.each(closings)('%s while it is idle is asked by another one', async (_how, close) => {
    const server = await Receiver.start(says(OK))
    const { ask } = setUp()
    await ask(server)
    for (const socket of server.sockets) close(socket)
    await until(() => server.open === 0, 'every connection to be closed')
    expect(await ask(server)).toMatchObject(ok)
    expect(server.connections).toBe(2)
  })

  // What it did has reached this machine, but the event loop has not asked for it.
  test.each(closings)('%s in the moment before a request is asked by another one', async (_how, close) => {
    const server = await Receiver.start(says(OK))
    const { ask } = setUp()
    await ask(server)
    for (const socket of server.sockets) close(socket)
    await inThisTurn()
    expect(await ask(server)).toMatchObject(ok)
    expect([server.connections, server.requests.length]).toEqual([2, 2])
  })

  test('instead of answering may have received the request: it is not sent again', async () => {
    const server = await Receiver.start(knowing({ '/cut': (socket) => socket.resetAndDestroy() }))
    const { ask } = setUp()
    await ask(server)
    expect((await ask(server, '/cut')).kind).toBe('unknown')
    expect([server.connections, server.requests.length]).toEqual([1, 2])
  })

  test('within its answer leaves the outcome open', async () => {
    const half = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id"'
    const cut = (socket: Socket) => socket.write(half, () => socket.resetAndDestroy())
    const server = await Receiver.start(knowing({ '/cut': cut }))
    const { ask } = setUp()
    await ask(server)
    expect((await ask(server, '/cut')).kind).toBe('unknown')
    expect([server.connections, server.requests.length]).toEqual([1, 2])
  })

  test.each<[string, (server: Receiver, { ask, pass }: ReturnType<typeof setUp>) => Promise<unknown>]>([
    ['while it should have been idle', async ({ sockets }) => void [...sockets].at(-1)?.end()],
    ['by a reset while it should have been idle', async ({ sockets }) => void [...sockets].at(-1)?.resetAndDestroy()],
    ['without an answer', (server, { ask }) => ask(server, '/cut')],
    [
      'by silence',
      async (server, { ask, pass }) => {
        const answer = ask(server, '/silence', 50)
        await until(() => server.requests.length === 3, 'the request to arrive')
        pass(50)
        await answer
      },
    ],
  ])('%s is asked by a new one each time for an hour, and told so', async (_when, happen) => {
    const cut = (socket: Socket) => void socket.end()
    const server = await Receiver.start(knowing({ '/cut': cut, '/silence': () => {} }))
    const asking = setUp()
    const { ask, clock } = asking
    const other = await Receiver.start(says(OK))
    for (const _ of [1, 2, 3]) await ask(other)
    await Promise.all([ask(server), ask(server)])
    await happen(server, asking)
    // Also the ones that are open still.
    await until(() => server.open === 0, 'every connection to be closed')
    expect(server.connections).toBe(2)
    for (const _ of [1, 2]) expect(await ask(server)).toMatchObject(ok)
    expect(server.connections).toBe(4)
    expect(server.requests.at(-1)?.toLowerCase()).toContain('connection: close')
    clock.leap(HOUR_MS)
    for (const _ of [1, 2]) expect(await ask(server)).toMatchObject(ok)
    expect(server.connections).toBe(5)
    expect(other.connections).toBe(1)
  })

  test('keeps none that was asked something meanwhile', async () => {
    const answers: Array<() => void> = []
    const slow = (socket: Socket) => void answers.push(() => socket.write(OK))
    const server = await Receiver.start(knowing({ '/cut': (socket) => socket.destroy(), '/slow': slow }))
    const { ask } = setUp()
    await Promise.all([ask(server), ask(server)])
    const answer = ask(server, '/slow')
    await until(() => answers.length > 0, 'the request to arrive')
    await ask(server, '/cut')
    for (const say of answers) say()
    expect(await answer).toMatchObject(ok)
    await until(() => server.open === 0, 'every connection to be closed')
    expect(server.connections).toBe(2)
  })

  test('is not forgiven because another one does it', async () => {
    const [one, other] = [await Receiver.start(says(OK)), await Receiver.start(says(OK))]
    const { ask } = setUp()
    for (const server of [one, other]) {
      await ask(server)
      for (const socket of server.sockets) socket.end()
      await until(() => server.open === 0, 'every connection to be closed')
    }
    for (const _ of [1, 2]) await ask(one)
    expect(one.connections).toBe(3)
  })

  test('at the first request on it is trusted as before', async () => {
    const server = await Receiver.start(knowing({ '/cut': (socket) => socket.destroy() }))
    const { ask } = setUp()
    expect((await ask(server, '/cut')).kind).toBe('unknown')
    for (const _ of [1, 2]) await ask(server)
    expect(server.connections).toBe(2)
  })

  test('at random moments, which take a while to be known here, leaves one outcome open at most', async () => {
    const random = seededRandom(1)
    const deaf = new WeakSet<Socket>()
    const server = await Receiver.start(async (socket) => {
      if (deaf.has(socket)) return
      socket.write(OK)
      await turns(random.below(10))
      deaf.add(socket)
      await turns(5)
      socket.destroy()
    })
    let open = 0
    for (let round = 0; round < 10; round++) {
      const { ask } = setUp()
      let lost = 0
      for (let n = 0; n < 10; n++) {
        if ((await ask(server)).kind !== 'answered') lost++
        await turns(random.below(10))
      }
      expect(lost).toBeLessThanOrEqual(1)
      open += lost
    }
    // Otherwise nothing was put to the test.
    expect(open).toBeGreaterThan(0)
  })

  test('when it was to be expected goes on being trusted', async () => {
    const server = await Receiver.start(says(OK))
    const { ask, clock } = setUp()
    await ask(server)
    clock.leap(1_000)
    for (const socket of server.sockets) socket.end()
    await until(() => server.open === 0, 'every connection to be closed')
    for (const _ of [1, 2]) await ask(server)
    expect(server.connections).toBe(2)
  })
})

describe('bytes nobody asked for', () => {
  const FORGED = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged'

  test.each<[string, string, string]>([
    ['another answer', OK, FORGED],
    ['an answer before the answer', OK, 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['noise', OK, 'noise'],
    ['an empty line', OK, '\r\n'],
    ['the rest of another answer', `${OK}${FORGED.slice(0, 12)}`, FORGED.slice(12)],
  ])('on an idle connection, such as %s, end it: none is an answer', async (_what, first, then) => {
    const server = await Receiver.start(knowing({ '/first': says(first) }))
    const { ask } = setUp()
    expect(await ask(server, '/first')).toMatchObject(ok)
    for (const socket of server.sockets) socket.write(then)
    // At once: nobody has read them yet.
    expect(await ask(server)).toMatchObject(ok)
    expect(server.connections).toBe(2)
    await until(() => server.open === 1, 'all connections but one to be closed')
  })
})

test('what comes while nobody asks ends a connection by itself', async () => {
  const server = await Receiver.start(says(OK))
  const { ask } = setUp()
  expect(await ask(server)).toMatchObject(ok)
  for (const socket of server.sockets) socket.write(OK)
  await until(() => server.open === 0, 'every connection to be closed')
  expect(await ask(server)).toMatchObject(ok)
  expect(server.connections).toBe(2)
})

describe('so that there is room for others', () => {
  const waves = (ask: ReturnType<typeof setUp>['ask'], server: Receiver, size: number) =>
    Promise.all(Array.from({ length: size }, () => ask(server)))

  test('a server has 128 idle connections at most', async () => {
    const server = await Receiver.start(says(OK))
    const { ask } = setUp()
    await waves(ask, server, 140)
    await until(() => server.open === 128, 'those beyond to be closed')
  })

  test('there are 256 at most, and the one that was idle for longest makes room', async () => {
    const servers = [await Receiver.start(says(OK)), await Receiver.start(says(OK)), await Receiver.start(says(OK))]
    const { ask } = setUp()
    for (const server of servers) await waves(ask, server, 100)
    await until(() => servers.reduce((sum, { open }) => sum + open, 0) === 256, 'those beyond to be closed')
    expect(servers.map(({ open }) => open)).toEqual([56, 100, 100])
  })
})

describe('a runtime that is not what is relied on', () => {
  test('and does not tell the descriptor of a socket: nothing is kept, nobody is distrusted, and it is said once', async () => {
    const own = Object.getOwnPropertyDescriptor(HttpConnection.prototype, 'descriptor') as PropertyDescriptor
    Object.defineProperty(HttpConnection.prototype, 'descriptor', { configurable: true, get: () => undefined })
    try {
      const server = await Receiver.start(says(KEPT_LONG))
      let told = 0
      const clock = new VirtualClock(0)
      const connections = new ConnectionPool(clock, undefined, () => void told++)
      const transport = createTransport(connections, clock)
      const url = `http://127.0.0.1:${server.port}/`
      const ask = () => transport.request({ method: 'POST', url, headers: {}, body: '{}', timeoutMs: 3_000 })
      for (let n = 0; n < 3; n++) expect(await ask()).toMatchObject(ok)
      expect([server.connections, told]).toEqual([3, 1])
      Object.defineProperty(HttpConnection.prototype, 'descriptor', own)
      for (let n = 0; n < 3; n++) expect(await ask()).toMatchObject(ok)
      expect(server.connections).toBe(4)
      connections.closeIdle()
    } finally {
      Object.defineProperty(HttpConnection.prototype, 'descriptor', own)
    }
  })

  test('and reads HTTP in another way: a start ends with a sentence', () => {
    assertParses()
    const { HTTPParser } = process.getBuiltinModule('node:_http_common' as never) as {
      HTTPParser: { prototype: object }
    }
    const own = Object.getOwnPropertyDescriptor(HTTPParser.prototype, 'execute') as PropertyDescriptor
    Object.defineProperty(HTTPParser.prototype, 'execute', { configurable: true, value: () => 0 })
    try {
      expect(assertParses).toThrow('use the version of Bun that package.json names')
    } finally {
      Object.defineProperty(HTTPParser.prototype, 'execute', own)
    }
    assertParses()
  })
})
