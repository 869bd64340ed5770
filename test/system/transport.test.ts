/** HTTP to carriers over real sockets: what is told of a request that failed, and that none waits for another's. */
import { afterEach, describe, expect, test } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { ConnectionPool } from '../../src/system/kept-connections'
import { createTransport } from '../../src/system/transport'
import { VirtualClock } from '../support/clock'
import { until } from '../support/until'
import { CERT, KEY } from './certificate'

/** Virtual: it passes only where a test lets it. */
const TIMEOUT_MS = 5_000

let servers: Array<Server | ReturnType<typeof createTlsServer>> = []
const sockets = new Set<Socket>()
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers) server.close()
  servers = []
})

/** A server that answers the first bytes of each connection. */
function listen(answer: (socket: Socket, request: string) => void, tls = false): Promise<string> {
  const serve = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', (data) => answer(socket, data.toString()))
  }
  const server = tls ? createTlsServer({ cert: CERT, key: KEY }, serve) : createServer(serve)
  servers.push(server)
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      resolve(`${tls ? 'https' : 'http'}://127.0.0.1:${port}/send`)
    })
  })
}

/** Requests, and the time by which they time out. */
function setUp(left?: () => number) {
  const clock = new VirtualClock(0)
  const { request } = createTransport(new ConnectionPool(clock, left), clock)
  const post = (url: string) =>
    request({ method: 'POST', url, headers: { 'x-own': 'kept' }, body: '{"to":"한국"}', timeoutMs: TIMEOUT_MS })
  return { clock, request, post }
}

const post = (url: string) => setUp().post(url)
const ok = (body: string) => `HTTP/1.1 200 OK\r\nX-Id: 7\r\nContent-Length: ${body.length}\r\n\r\n${body}`

describe('a request to a carrier', () => {
  test('arrives whole, and its answer comes back', async () => {
    let seen = ''
    const url = await listen((socket, request) => {
      seen = request
      socket.end(ok('{"id":"a"}'))
    })
    expect(await post(url)).toMatchObject({
      kind: 'answered',
      status: 200,
      body: '{"id":"a"}',
    })
    expect(seen).toStartWith('POST /send HTTP/1.1')
    expect(seen.toLowerCase()).toContain('x-own: kept')
    expect(seen).toEndWith('{"to":"한국"}')
  })

  test.each<[string, Record<string, string>, string, string[]]>([
    ['of the name and the password in its URL', {}, 'us%40er:pass@', ['authorization: Basic dXNAZXI6cGFzcw==']],
    ['that are given', { authorization: 'Bearer x' }, 'user:pass@', ['authorization: Bearer x']],
    ['about a host of another name', { Host: 'sms.example' }, '', ['host: sms.example']],
    [
      'that are said twice once, as said last',
      { 'content-type': 'a/a', 'Content-Type': 'b/b' },
      '',
      ['content-type: b/b'],
    ],
    ['about framing once, and right', { 'content-length': '1', 'Transfer-Encoding': 'chunked' }, '', []],
  ])('has headers %s', async (_what, headers, credentials, expected) => {
    let seen = ''
    const url = await listen((socket, request) => {
      seen = request
      socket.end(ok('{}'))
    })
    const request = {
      method: 'POST',
      url: url.replace('//', `//${credentials}`),
      headers,
      body: '{}',
      timeoutMs: TIMEOUT_MS,
    }
    expect((await setUp().request(request)).kind).toBe('answered')
    const lines = seen.split('\r\n').map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()))
    for (const name of ['authorization', 'host', 'content-type']) {
      const own = expected.filter((line) => line.startsWith(name))
      if (own.length > 0) expect(lines.filter((line) => line.startsWith(`${name}:`))).toEqual(own)
    }
    const framing = lines.filter((line) => /^(content-length|transfer-encoding):/.test(line))
    expect(framing).toEqual(['content-length: 2'])
  })

  test.each<[string, Record<string, string>, string[]]>([
    ['the URL', {}, ['localhost']],
    ['a header about the host', { Host: 'sms.example:8443' }, ['sms.example']],
    ['no header that is an address', { host: '127.0.0.1' }, ['localhost']],
  ])('asks for and verifies the name of %s by TLS', async (_what, headers, expected) => {
    const asked: string[] = []
    const SNICallback = (name: string, done: (error: null) => void) => {
      asked.push(name)
      done(null)
    }
    const server = createTlsServer({ cert: CERT, key: KEY, SNICallback }).on('tlsClientError', () => {})
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const request = { method: 'POST', url: `https://localhost:${port}/`, headers, body: '{}', timeoutMs: TIMEOUT_MS }
    expect((await setUp().request(request)).kind).toBe('not_sent')
    expect(asked).toEqual(expected)
  })

  test.each<Record<string, string>>([
    { 'x-a': 'a\r\nx-b: b' },
    { 'x-a': 'a\nb' },
    { 'x-a': '한' },
    { 'x a': 'b' },
    { 'x-a: b\r\nx-b': 'b' },
  ])('with a header that would be something else is none: %j', async (headers) => {
    let asked = 0
    const url = await listen(() => asked++)
    const request = { method: 'POST', url, headers, timeoutMs: TIMEOUT_MS }
    const error = await setUp()
      .request(request)
      .then(
        () => undefined,
        ({ name }) => name,
      )
    expect([error, asked]).toEqual(['TypeError', 0])
  })

  test('without a body says nothing of one, unless it may have had one', async () => {
    const seen: string[] = []
    const url = await listen((socket, request) => {
      seen.push(request.toLowerCase())
      socket.end(ok('{}'))
    })
    for (const method of ['GET', 'POST']) {
      await setUp().request({ method, url, headers: {}, timeoutMs: TIMEOUT_MS })
    }
    expect(seen.map((text) => text.includes('content-length: 0'))).toEqual([false, true])
    expect(seen[0]).not.toContain('content-length')
  })

  test('may be answered until the connection ends, and by chunks', async () => {
    for (const answer of [
      'HTTP/1.0 200 OK\r\n\r\nok',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    ]) {
      expect(await post(await listen((socket) => socket.end(answer)))).toMatchObject({ status: 200, body: 'ok' })
    }
  })

  test('hears eight answers before the answer, and is cut at the ninth: its outcome is unknown', async () => {
    const early = (count: number) => 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(count)
    expect(await post(await listen((socket) => socket.end(early(8) + ok('{}'))))).toMatchObject({ status: 200 })
    let isCut = false
    const url = await listen((socket) => {
      socket.once('close', () => {
        isCut = true
      })
      socket.write(early(9))
    })
    expect(await post(url)).toEqual({ kind: 'unknown', reason: 'HPE_TOO_MANY_INTERIM' })
    await until(() => isCut, 'the connection to be cut')
  })

  test('for which no descriptor is left is not sent, and asks nobody; those that are being made count, too', async () => {
    let asked = 0
    const url = await listen((socket) => {
      asked++
      socket.end(ok('{}'))
    })
    const few = setUp(() => 10)
    const all = await Promise.all(
      [1, 2, 3].map(() => few.request({ method: 'GET', url, headers: {}, timeoutMs: TIMEOUT_MS })),
    )
    expect(all.map(({ kind }) => kind)).toEqual(['answered', 'answered', 'not_sent'])
    expect(all[2]).toEqual({ kind: 'not_sent', reason: 'EMFILE' })
    expect(asked).toBe(2)
    expect(await few.request({ method: 'GET', url, headers: {}, timeoutMs: TIMEOUT_MS })).toMatchObject({
      kind: 'answered',
    })
  })

  test('that found nobody was not sent', async () => {
    const url = await listen(() => {})
    servers.pop()?.close()
    expect((await post(url)).kind).toBe('not_sent')
    expect((await post('http://nobody.invalid/')).kind).toBe('not_sent')
  })

  test('whose certificate nobody vouches for was not sent', async () => {
    let asked = 0
    const url = await listen(() => asked++, true)
    expect([(await post(url)).kind, asked]).toEqual(['not_sent', 0])
  })

  test.each<[string, string]>([
    ['hears nothing', ''],
    ['hears half of an answer', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id"'],
  ])('that %s until its time is over may have arrived', async (_, said) => {
    let asked = 0
    const url = await listen((socket) => {
      asked++
      socket.write(said)
    })
    const { clock, post } = setUp()
    const answering = post(url)
    await until(() => asked === 1, 'the request to arrive')
    expect(clock.fireNext(TIMEOUT_MS - 1).fired).toBe(false)
    expect(clock.fireNext(1).fired).toBe(true)
    expect(await answering).toEqual({ kind: 'unknown', reason: 'TimeoutError' })
  })

  test.each<[string, (socket: Socket) => void]>([
    ['is cut off', (socket) => socket.destroy()],
    ['gets half an answer', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id"')],
    ['gets no HTTP', (socket) => socket.end('hello\r\n\r\n')],
    [
      'is to speak something else',
      (socket) => socket.end('HTTP/1.1 101 No\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    ],
    [
      'gets a chunk that ends too early',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{}'),
    ],
    [
      'gets an answer framed in two ways',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
    ],
    ['gets headers without an end', (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`)],
    ['gets more than 64 KiB', (socket) => socket.end(ok('x'.repeat(70_000)))],
  ])('that %s may have arrived', async (_, answer) => {
    expect((await post(await listen(answer))).kind).toBe('unknown')
  })

  test('goes where it says, wherever the one before went', async () => {
    const says = (body: string) => (socket: Socket, request: string) => socket.end(ok(body + request.split(' ')[1]))
    const [one, other] = [await listen(says('one')), await listen(says('other'))]
    const transport = setUp()
    const bodies: unknown[] = []
    for (const url of [one, one, other, `${other}?a=b`, one]) {
      bodies.push(await transport.request({ method: 'POST', url, headers: {}, timeoutMs: TIMEOUT_MS }))
    }
    const expected = ['one/send', 'one/send', 'other/send', 'other/send?a=b', 'one/send']
    expect(bodies).toEqual(expected.map((body) => ({ kind: 'answered', status: 200, body })))
  })

  test('to what is no URL is none, also at the second time', async () => {
    const transport = setUp()
    const request = { method: 'GET', url: 'nowhere', headers: {}, timeoutMs: TIMEOUT_MS }
    const fails = () =>
      transport.request(request).then(
        () => undefined,
        ({ name }) => name,
      )
    expect([await fails(), await fails()]).toEqual(['TypeError', 'TypeError'])
  })

  test('follows no redirect', async () => {
    const url = await listen((socket) => socket.end('HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n'))
    expect(await post(url)).toMatchObject({ kind: 'answered', status: 302 })
  })

  test('waits for none of the hundreds that hang at another carrier', async () => {
    const silent = await listen(() => {})
    const healthy = await listen((socket) => socket.end(ok('{}')))
    const transport = setUp()
    const hanging = Array.from({ length: 300 }, () => transport.post(silent))
    expect((await transport.post(healthy)).kind).toBe('answered')
    for (const socket of sockets) socket.destroy()
    await Promise.all(hanging)
  })
})
