import { afterEach, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { HookAnswer, HookFailure } from '../../src/ports/network'
import { createHookTransport, type Resolve } from '../../src/system/hook-transport'
import { ConnectionPool } from '../../src/system/kept-connections'
import { VirtualClock } from '../support/clock'
import { until } from '../support/until'
import { CA, CERT_UNTIL } from './certificate'
import { inThisTurn, OK, Receiver, says } from './receiver'

const OPEN = '127.0.0.1'
/** Loopback too, and listening, but not among what the tests allow. */
const CLOSED = '127.0.0.2'
const NAME = 'hook.example'
/** Virtual: it passes only where a test lets it. */
const TIMEOUT_MS = 3_000
const answered = (changes: Partial<Extract<HookAnswer, { kind: 'answered' }>> = {}): HookAnswer => ({
  kind: 'answered',
  status: 200,
  location: undefined,
  retryAfter: undefined,
  body: 'ok',
  ...changes,
})
const failed = (reason: HookFailure): HookAnswer => ({ kind: 'failed', reason })
const FORBIDDEN: HookAnswer = { kind: 'forbidden', reason: 'address' }

afterEach(() => Receiver.stopAll())

/** Says `first`, then `again` and again as fast as it is read, until the client goes away. */
const saysForever = (first: string, again: string) => (socket: Socket) => {
  const more = () => {
    if (socket.destroyed) return
    if (socket.write(again)) setImmediate(more)
    else socket.once('drain', more)
  }
  socket.write(first)
  more()
}

/** Answers each question with the next list; counts the questions. */
function resolver(...answers: string[][]): Resolve & { asked: string[] } {
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return answers[Math.min(asked.length, answers.length) - 1] ?? []
  }
  return Object.assign(resolve, { asked })
}

interface Call {
  url: string
  resolve?: Resolve
  allowedCidrs?: string[]
  ca?: string
  headers?: Record<string, string>
  body?: string
  timeoutMs?: number
  clock?: VirtualClock
  connections?: ConnectionPool
}

/** The answer, whose certificate is looked at here. */
const post = async ({
  url,
  resolve = resolver([OPEN]),
  allowedCidrs = [`${OPEN}/32`],
  ca,
  headers = {},
  body = '{}',
  timeoutMs = TIMEOUT_MS,
  clock = new VirtualClock(0),
  connections = new ConnectionPool(clock),
}: Call): Promise<HookAnswer> => {
  const transport = createHookTransport({ resolve, connections, clock, ...(ca !== undefined && { ca }) })
  const answer = await transport.post({ url, headers, body, timeoutMs, allowedCidrs })
  if (answer.kind !== 'answered') return answer
  const { certificateUntil, ...rest } = answer
  expect(certificateUntil).toBe(url.startsWith('https:') ? CERT_UNTIL : undefined)
  return rest
}

/** Connections that a test holds for several requests. No time passes for them. */
const heldConnections = () => new ConnectionPool(new VirtualClock(0))

/** The answer that ends a request before any time passes. Afterwards nothing is open but what is kept. */
async function atOnce(receiver: Receiver, call: Call): Promise<HookAnswer> {
  const connections = heldConnections()
  const answer = await post({ ...call, connections })
  connections.closeIdle()
  await until(() => receiver.open === 0, 'the connection to be closed')
  return answer
}

/** What was written before on any socket of this process has been read: a later request has come and gone. */
async function othersHaveRead(): Promise<void> {
  const other = await Receiver.start(says(OK))
  for (const _ of [1, 2]) expect(await post({ url: `http://${OPEN}:${other.port}/` })).toEqual(answered())
}

/** The answer where the time of a request is over, and not before. Afterwards nothing is open. */
async function inTime(
  receiver: Receiver,
  call: Call,
  { hasBegun, drip = '' }: { hasBegun: () => boolean; drip?: string },
): Promise<HookAnswer> {
  const clock = new VirtualClock(0)
  let isOver = false
  const answering = post({ ...call, clock }).finally(() => {
    isOver = true
  })
  await until(hasBegun, 'the request to have begun')
  const parts = 5
  for (let part = 0; part < parts; part++) {
    for (const socket of receiver.sockets) if (drip !== '') socket.write(drip)
    await othersHaveRead()
    expect(clock.fireNext(part === 0 ? TIMEOUT_MS / parts - 1 : TIMEOUT_MS / parts).fired).toBe(false)
    expect(isOver).toBe(false)
  }
  expect(clock.fireNext(1).fired).toBe(true)
  const answer = await answering
  await until(() => receiver.open === 0, 'the connection to be closed')
  return answer
}

describe('a request', () => {
  test('arrives as it was given, under the name of the URL', async () => {
    const receiver = await Receiver.start(says(OK))
    const resolve = resolver([OPEN])
    const url = `http://${NAME}:${receiver.port}/hooks/a%20b?c=d`
    const answer = await post({ url, resolve, headers: { 'X-Name': 'caf\u00e9' }, body: '{"to":"인증"}' })
    expect(answer).toEqual(answered())
    const [head = '', body = ''] = receiver.requests[0]?.split('\r\n\r\n') ?? []
    const [line, ...fields] = head.split('\r\n')
    expect(line).toBe('POST /hooks/a%20b?c=d HTTP/1.1')
    expect(fields.map((field) => field.toLowerCase()).sort()).toEqual([
      'accept-encoding: identity',
      'connection: keep-alive',
      'content-length: 15',
      `host: ${NAME}:${receiver.port}`,
      'x-name: café',
    ])
    expect(Buffer.from(body, 'latin1').toString('utf8')).toBe('{"to":"인증"}')
    expect(resolve.asked).toEqual([NAME])
  })

  test('goes past a proxy that the environment names', async () => {
    const proxy = await Receiver.start(says(OK))
    const receiver = await Receiver.start(says(OK))
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']
    const before = names.map((name) => [name, process.env[name]] as const)
    for (const name of names) process.env[name] = `http://${OPEN}:${proxy.port}`
    try {
      expect(await post({ url: `http://${NAME}:${receiver.port}/` })).toEqual(answered())
      expect(await post({ url: `http://${OPEN}:${receiver.port}/` })).toEqual(answered())
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    }
    expect(proxy.connections).toBe(0)
    expect(receiver.connections).toBe(2)
  })

  test.each<[string, Record<string, string>]>([
    ['a line break', { 'X-A': 'a\r\nX-B: b' }],
    ['a lone line feed', { 'X-A': 'a\nX-B: b' }],
    ['a character beyond Latin-1', { 'X-A': '\u010d\u010a' }],
    ['a line break in its name', { 'X-A: a\r\nX-B': 'b' }],
    ['another host', { host: 'internal.example' }],
    ['another length', { 'content-length': '0' }],
    ['another framing', { 'Transfer-Encoding': 'chunked' }],
  ])('with a header that has %s is not sent', async (_what, headers) => {
    const receiver = await Receiver.start(says(OK))
    const resolve = resolver([OPEN])
    expect(await post({ url: `http://${NAME}:${receiver.port}/`, resolve, headers })).toEqual(failed('header'))
    expect(receiver.connections).toBe(0)
  })

  test.each(['', 'hooks', 'ftp://hook.example/', 'file:///etc/passwd', 'http://user:pass@hook.example/'])(
    'to %p is not sent',
    async (url) => {
      const resolve = resolver([OPEN])
      expect(await post({ url, resolve })).toEqual(failed('url'))
      expect(resolve.asked).toEqual([])
    },
  )
})

/** Two receivers on one port of two addresses, only one of which is allowed. */
async function openAndClosed() {
  const open = await Receiver.start(says(OK))
  const closed = await Receiver.start(says(OK), { host: CLOSED, port: open.port })
  return { open, closed, url: `http://${NAME}:${open.port}/` }
}

describe('an address that may not be reached', () => {
  test('is not connected to, and not told', async () => {
    const { open, closed, url } = await openAndClosed()
    expect(await post({ url, resolve: resolver([CLOSED]) })).toEqual(FORBIDDEN)
    expect(await post({ url, allowedCidrs: [] })).toEqual(FORBIDDEN)
    expect([open.connections, closed.connections]).toEqual([0, 0])
    // It would have answered.
    expect(await post({ url, resolve: resolver([CLOSED]), allowedCidrs: ['127.0.0.0/8'] })).toEqual(answered())
  })

  test('is not reached by a name that means something else the next time it is asked for', async () => {
    const { open, closed, url } = await openAndClosed()
    const resolve = resolver([OPEN], [CLOSED])
    expect(await post({ url, resolve })).toEqual(answered())
    expect(resolve.asked).toEqual([NAME])
    expect([open.connections, closed.connections]).toEqual([1, 0])
    expect(await post({ url, resolve })).toEqual(FORBIDDEN)
    expect(resolve.asked).toEqual([NAME, NAME])
    expect([open.connections, closed.connections]).toEqual([1, 0])
  })

  test('is left out where a name has others', async () => {
    const { open, closed, url } = await openAndClosed()
    for (const addresses of [
      [OPEN, CLOSED],
      [CLOSED, OPEN],
      [CLOSED, `::ffff:${CLOSED}`, '::1', '169.254.169.254', OPEN],
    ]) {
      expect(await post({ url, resolve: resolver(addresses) })).toEqual(answered())
    }
    expect([open.connections, closed.connections]).toEqual([3, 0])
  })

  test('is not what another one falls back to', async () => {
    const closed = await Receiver.start(says(OK), { host: CLOSED })
    const url = `http://${NAME}:${closed.port}/`
    expect(await post({ url, resolve: resolver([OPEN, CLOSED]) })).toEqual(failed('refused'))
    expect(closed.connections).toBe(0)
  })

  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0177.0.0.1',
    '0x7f.1',
    '0x7f000001',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::1]',
    '[::]',
    '0.0.0.0',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::1]',
  ])('is not reached as %s, and nobody is asked what that means', async (host) => {
    const receiver = await Receiver.start(says(OK))
    const resolve = resolver([OPEN])
    expect(await post({ url: `http://${host}:${receiver.port}/`, resolve, allowedCidrs: [] })).toEqual(FORBIDDEN)
    expect(resolve.asked).toEqual([])
    expect(receiver.connections).toBe(0)
  })

  test('is reached in any notation where the operator allows it', async () => {
    const receiver = await Receiver.start(says(OK))
    for (const host of ['127.0.0.1', '0x7f.1', '[::ffff:7f00:1]']) {
      expect(await post({ url: `http://${host}:${receiver.port}/` })).toEqual(answered())
    }
    expect(receiver.connections).toBe(3)
  })

  test('is none of the answers of the system for localhost', async () => {
    const receiver = await Receiver.start(says(OK))
    const post = (allowedCidrs: string[]) =>
      createHookTransport({ clock: new VirtualClock(0) }).post({
        url: `http://localhost:${receiver.port}/`,
        headers: {},
        body: '{}',
        timeoutMs: TIMEOUT_MS,
        allowedCidrs,
      })
    expect(await post([])).toEqual(FORBIDDEN)
    expect(await post(['127.0.0.0/8', '::1/128'])).toEqual(answered())
    expect(receiver.connections).toBe(1)
  })
})

describe('a name', () => {
  test('nobody knows is told apart', async () => {
    expect(await post({ url: 'http://hook.example/', resolve: resolver([]) })).toEqual(failed('dns'))
    const resolve = () => Promise.reject(new Error('ENOTFOUND'))
    expect(await post({ url: 'http://hook.example/', resolve })).toEqual(failed('dns'))
  })

  test('nobody answers for ends in time', async () => {
    const clock = new VirtualClock(0)
    const answering = post({ url: 'http://hook.example/', resolve: () => new Promise(() => {}), clock })
    expect(clock.fireNext(TIMEOUT_MS - 1).fired).toBe(false)
    expect(clock.fireNext(1).fired).toBe(true)
    expect(await answering).toEqual(failed('timeout'))
  })

  test('with an address that refuses is tried at the next one, but not at a hundred', async () => {
    const receiver = await Receiver.start(says(OK))
    const url = `http://${NAME}:${receiver.port}/`
    const allowedCidrs = ['127.0.0.0/8']
    const refusing = (count: number) => Array.from({ length: count }, (_, index) => `127.0.1.${index + 1}`)
    expect(await post({ url, allowedCidrs, resolve: resolver([...refusing(3), OPEN]) })).toEqual(answered())
    expect(await post({ url, allowedCidrs, resolve: resolver([...refusing(99), OPEN]) })).toEqual(failed('refused'))
    expect(receiver.connections).toBe(1)
  })
})

describe('a kept connection', () => {
  const ALSO_OPEN = '127.0.0.3'
  const allowedCidrs = [`${OPEN}/32`, `${ALSO_OPEN}/32`]

  test.each([false, true])('serves the next request, over TLS: %p', async (isSecure) => {
    const receiver = await Receiver.start(says(OK), { isSecure })
    const call = { url: `http${isSecure ? 's' : ''}://${NAME}:${receiver.port}/`, connections: heldConnections() }
    const warnings: Error[] = []
    const listen = (warning: Error) => void warnings.push(warning)
    process.on('warning', listen)
    for (let n = 0; n < 20; n++) expect(await post({ ...call, ca: CA })).toEqual(answered())
    process.off('warning', listen)
    expect([receiver.connections, receiver.requests.length]).toEqual([1, 20])
    // Of listeners that become more and more.
    expect(warnings).toEqual([])
  })

  test('is not asked when it is too late', async () => {
    const receiver = await Receiver.start(says(OK))
    const call = { url: `http://${NAME}:${receiver.port}/`, connections: heldConnections() }
    expect(await post(call)).toEqual(answered())
    const clock = new VirtualClock(0)
    const slow = async () => {
      // A turn of the event loop that takes too long fires no timer.
      clock.leap(TIMEOUT_MS)
      return [OPEN]
    }
    expect(await post({ ...call, url: `${call.url}late`, resolve: slow, clock })).toEqual(failed('timeout'))
    expect(await post(call)).toEqual(answered())
    expect(receiver.requests).toHaveLength(2)
  })

  test('is as good as a new one only where the name still stands for its address', async () => {
    const one = await Receiver.start(says(OK))
    const other = await Receiver.start(says(OK), { host: ALSO_OPEN, port: one.port })
    const resolve = resolver([OPEN], [ALSO_OPEN], [ALSO_OPEN, OPEN])
    const call = { url: `http://${NAME}:${one.port}/`, resolve, allowedCidrs, connections: heldConnections() }
    expect(await post(call)).toEqual(answered())
    expect(await post(call)).toEqual(answered())
    expect([one.connections, other.connections]).toEqual([1, 1])
    // Either may serve it now.
    expect(await post(call)).toEqual(answered())
    expect([one.connections, other.connections]).toEqual([1, 1])
    expect(resolve.asked).toEqual([NAME, NAME, NAME])
  })

  test('is found also where its address is one of many', async () => {
    const receiver = await Receiver.start(says(OK))
    const many = Array.from({ length: 6 }, (_, index) => `127.0.1.${index + 1}`)
    const resolve = resolver([OPEN], [...many, OPEN])
    const url = `http://${NAME}:${receiver.port}/`
    const call = { url, resolve, allowedCidrs: ['127.0.0.0/8'], connections: heldConnections() }
    expect([await post(call), await post(call)]).toEqual([answered(), answered()])
    expect(receiver.connections).toBe(1)
  })

  test('does not reach an address that may not be reached any more', async () => {
    const { open, closed, url } = await openAndClosed()
    const connections = heldConnections()
    const anywhere = { url, connections, resolve: resolver([CLOSED]), allowedCidrs: ['127.0.0.0/8'] }
    expect(await post(anywhere)).toEqual(answered())
    expect(await post({ ...anywhere, allowedCidrs: [`${OPEN}/32`] })).toEqual(FORBIDDEN)
    const both = resolver([CLOSED, OPEN])
    expect(await post({ ...anywhere, resolve: both, allowedCidrs: [`${OPEN}/32`] })).toEqual(answered())
    expect([closed.requests.length, open.requests.length]).toEqual([1, 1])
  })

  test('serves no other name, port or scheme', async () => {
    const receiver = await Receiver.start(says(OK))
    const connections = heldConnections()
    for (const name of [NAME, 'other.example']) {
      expect(await post({ url: `http://${name}:${receiver.port}/`, connections })).toEqual(answered())
    }
    const clock = new VirtualClock(0)
    const answering = post({ url: `https://${NAME}:${receiver.port}/`, connections, clock })
    await until(() => receiver.connections === 3, 'another connection')
    clock.fireNext(TIMEOUT_MS)
    expect(await answering).toMatchObject({ kind: 'failed' })
  })

  test.each<[string, boolean, (socket: Socket) => void]>([
    ['ended', false, (socket) => void socket.end()],
    ['ended', true, (socket) => void socket.end()],
    ['was reset', true, (socket) => void socket.resetAndDestroy()],
    ['answered unasked', false, says(OK.replace(/ok$/, 'no'))],
    ['answered unasked', true, says(OK.replace(/ok$/, 'no'))],
  ])('that %s in the moment before a request does not serve it, over TLS: %p', async (_what, isSecure, happen) => {
    const receiver = await Receiver.start(says(OK), { isSecure })
    const url = `http${isSecure ? 's' : ''}://${NAME}:${receiver.port}/`
    const call = { url, ca: CA, connections: heldConnections() }
    expect(await post(call)).toEqual(answered())
    for (const socket of receiver.sockets) happen(socket)
    await inThisTurn()
    expect(await post(call)).toEqual(answered())
    expect([receiver.connections, receiver.requests.length]).toEqual([2, 2])
  })

  test('counts the answers before each answer', async () => {
    const few = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(6)
    const receiver = await Receiver.start(says(few + OK))
    const call = { url: `http://${NAME}:${receiver.port}/`, connections: heldConnections() }
    for (const _ of [1, 2, 3]) expect(await post(call)).toEqual(answered())
    expect(receiver.connections).toBe(1)
    const many = await Receiver.start((socket, request) => {
      socket.write(request.includes('/many') ? 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(9) + OK : OK)
    })
    const url = `http://${NAME}:${many.port}`
    expect(await post({ ...call, url: `${url}/one` })).toEqual(answered())
    expect(await post({ ...call, url: `${url}/many` })).toEqual(failed('oversized'))
    expect(many.connections).toBe(1)
  })

  test('that ends without an answer has been asked: nobody is asked again', async () => {
    const receiver = await Receiver.start((socket, request) => {
      if (request.includes('/cut')) socket.resetAndDestroy()
      else socket.write(OK)
    })
    const call = { url: `http://${NAME}:${receiver.port}`, connections: heldConnections() }
    expect(await post(call)).toEqual(answered())
    expect(await post({ ...call, url: `${call.url}/cut` })).toEqual(failed('reset'))
    expect([receiver.connections, receiver.requests.length]).toEqual([1, 2])
  })

  test.each<[string, string, (socket: Socket) => void]>([
    ['was cut off', 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nok', (socket) => void socket.end()],
    ['was too long', `HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n${'a'.repeat(70_000)}`, () => {}],
  ])('is none after an answer that %s', async (_what, text, then) => {
    const receiver = await Receiver.start((socket) => {
      socket.write(text)
      then(socket)
    })
    const url = `http://${NAME}:${receiver.port}/`
    expect(await post({ url })).toMatchObject({ kind: 'answered', status: 200 })
    await until(() => receiver.open === 0, 'the connection to be closed')
  })

  test('is none after an answer that was too slow', async () => {
    const receiver = await Receiver.start(says('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nok'))
    const call = { url: `http://${NAME}:${receiver.port}/` }
    const answer = await inTime(receiver, call, { hasBegun: () => receiver.requests.length === 1 })
    expect(answer).toMatchObject({ kind: 'answered', status: 200 })
  })
})

describe('over TLS', () => {
  const secure = () => Receiver.start(says(OK), { isSecure: true })

  test('the name of the URL is verified, not the address', async () => {
    const receiver = await secure()
    expect(await post({ url: `https://${NAME}:${receiver.port}/`, ca: CA })).toEqual(answered())
    expect(receiver.requests[0]).toContain(`Host: ${NAME}:${receiver.port}\r\n`)
    expect(await post({ url: `https://other.example:${receiver.port}/`, ca: CA })).toEqual(failed('tls'))
    expect(receiver.requests).toHaveLength(1)
  })

  test('the name is said before anything is encrypted, an address is not', async () => {
    const receiver = await secure()
    const said: unknown[] = []
    receiver.server.on('secureConnection', ({ servername }) => said.push(servername || undefined))
    // RFC 6066, 3: without the dot that ends a name (netty/netty-tcnative#400).
    for (const host of [NAME, `${NAME}.`, OPEN])
      expect(await post({ url: `https://${host}:${receiver.port}/`, ca: CA })).toEqual(answered())
    expect(said).toEqual([NAME, NAME, undefined])
  })

  test('an address in the URL is verified as such', async () => {
    const receiver = await secure()
    expect(await post({ url: `https://${OPEN}:${receiver.port}/`, ca: CA })).toEqual(answered())
    const other = await Receiver.start(says(OK), { host: CLOSED, isSecure: true })
    const url = `https://${CLOSED}:${other.port}/`
    expect(await post({ url, ca: CA, allowedCidrs: ['127.0.0.0/8'] })).toEqual(failed('tls'))
    expect(other.requests).toEqual([])
  })

  test('a certificate nobody vouches for is refused, whatever the environment says', async () => {
    const receiver = await secure()
    const url = `https://${NAME}:${receiver.port}/`
    expect(await post({ url })).toEqual(failed('tls'))
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      expect(await post({ url })).toEqual(failed('tls'))
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
    expect(receiver.requests).toEqual([])
  })

  test('trust in one call is none in the next', async () => {
    const receiver = await secure()
    const url = `https://${NAME}:${receiver.port}/`
    expect(await post({ url, ca: CA })).toEqual(answered())
    expect(await post({ url })).toEqual(failed('tls'))
  })

  test('someone who does not speak it fails', async () => {
    const receiver = await Receiver.start(() => {})
    receiver.server.on('connection', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))
    expect(await post({ url: `https://${NAME}:${receiver.port}/`, ca: CA })).toEqual(failed('tls'))
  })

  test('someone who accepts and says nothing ends in time', async () => {
    const receiver = await Receiver.start(() => {})
    const call = { url: `https://${NAME}:${receiver.port}/`, ca: CA }
    expect(await inTime(receiver, call, { hasBegun: () => receiver.open === 1 })).toEqual(failed('timeout'))
  })
})

describe('an answer', () => {
  const from = async (say: (socket: Socket) => void) => {
    const receiver = await Receiver.start(say)
    return atOnce(receiver, { url: `http://${NAME}:${receiver.port}/` })
  }

  /** From one who says `first`, then `drip` now and then. */
  const drippingFrom = async (first: string, drip: string) => {
    const receiver = await Receiver.start(says(first))
    const call = { url: `http://${NAME}:${receiver.port}/` }
    return inTime(receiver, call, { hasBegun: () => receiver.requests.length === 1, drip })
  }

  test.each([301, 302, 307, 308])('that redirects (%d) is told, not followed', async (status) => {
    const elsewhere = await Receiver.start(says(OK))
    const location = `http://${OPEN}:${elsewhere.port}/`
    const answer = await from(says(`HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`))
    expect(answer).toEqual(answered({ status, location, body: '' }))
    expect(elsewhere.connections).toBe(0)
  })

  test('says when to come again', async () => {
    const answer = await from(says('HTTP/1.1 429 Slow\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n'))
    expect(answer).toEqual(answered({ status: 429, retryAfter: '120', body: '' }))
  })

  test('may have many headers, in letters of any size; of one that is there twice the first counts', async () => {
    const many = `LOCATION: /first\r\nLocation: /other\r\n${'X-Other: x\r\n'.repeat(60)}Retry-AFTER: 9\r\n`
    const answer = await from(says(`HTTP/1.1 302 Found\r\n${many}Content-Length: 0\r\n\r\n`))
    expect(answer).toEqual(answered({ status: 302, location: '/first', retryAfter: '9', body: '' }))
  })

  test('has the headers that stand before it, and none that follow', async () => {
    const many = `${'X-Other: x\r\n'.repeat(60)}Transfer-Encoding: chunked\r\n`
    const answer = await from(says(`HTTP/1.1 302 Found\r\n${many}\r\n0\r\nLocation: /behind\r\nRetry-After: 9\r\n\r\n`))
    expect(answer).toEqual(answered({ status: 302, body: '' }))
  })

  test('may be chunked, and of the old kind that ends with the connection', async () => {
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n'
    expect(await from(says(chunked))).toEqual(answered())
    expect(await from((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nok'))).toEqual(answered())
  })

  test('is kept to its first KiB, whole characters only', async () => {
    const body = `${'가'.repeat(400)}`
    const head = `HTTP/1.1 500 Oh\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
    expect(await from(says(head + body))).toEqual(answered({ status: 500, body: '가'.repeat(341) }))
  })

  test('is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`
    const answer = await from(says(Buffer.concat([Buffer.from(head), bomb])))
    expect(answer).toEqual(answered({ body: new TextDecoder().decode(bomb.subarray(0, 1024), { stream: true }) }))
  })

  test.each([
    ['a body', 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n', 'a'.repeat(4_096)],
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', `1000\r\n${'a'.repeat(4_096)}\r\n`],
    ['a body of announced length', 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n', 'a'.repeat(4_096)],
  ])('with %s that never ends is cut off at once', async (_what, first, again) => {
    expect(await from(saysForever(first, again))).toEqual(answered({ body: 'a'.repeat(1_024) }))
  })

  test.each([
    ['headers', 'HTTP/1.1 200 OK\r\n', `X-A: ${'a'.repeat(1_000)}\r\n`],
    ['one header', 'HTTP/1.1 200 OK\r\nX-A: ', 'a'.repeat(1_000)],
    ['a status line', 'HTTP/1.1 200 ', 'a'.repeat(1_000)],
    ['answers before the answer', '', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['hints before the answer', '', `HTTP/1.1 103 Early Hints\r\nLink: ${'a'.repeat(1_000)}\r\n\r\n`],
  ])('with %s that never end fails at once', async (_what, first, again) => {
    expect(await from(saysForever(first, again))).toEqual(failed('oversized'))
  })

  test('may be preceded by a few others', async () => {
    expect(await from(says(`HTTP/1.1 100 Continue\r\n\r\n${OK}`))).toEqual(answered())
  })

  test.each([
    ['does not come', '', ''],
    ['comes header by header', 'HTTP/1.1 200 OK\r\n', 'X-A: a\r\n'],
    ['comes letter by letter', 'HTTP/1.1 200 OK\r\nX-A: ', 'a'],
  ])('that %s fails in time', async (_what, first, drip) => {
    expect(await drippingFrom(first, drip)).toEqual(failed('timeout'))
  })

  test('whose body drips is its status and what came in time', async () => {
    const answer = await drippingFrom('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\no', 'k')
    expect(answer).toEqual(answered({ body: 'okkkkk' }))
  })

  test('that breaks off after its status is its status', async () => {
    const cut = (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nok')
    expect(await from(cut)).toEqual(answered())
    const garbled = says('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nnot a length\r\n')
    expect(await from(garbled)).toMatchObject({ kind: 'answered', status: 200 })
  })

  test.each<[string, HookFailure, (socket: Socket) => void]>([
    ['is no HTTP', 'protocol', says('220 mail.example ESMTP\r\n\r\n')],
    [
      'is framed in two ways',
      'protocol',
      says('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n'),
    ],
    ['has no length', 'protocol', says('HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n')],
    [
      'wants another protocol',
      'protocol',
      says('HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n'),
    ],
    ['is a hang-up', 'reset', (socket) => void socket.end()],
    ['is a reset', 'reset', (socket) => void socket.resetAndDestroy()],
    ['ends in its headers', 'reset', (socket) => void socket.end('HTTP/1.1 200 OK\r\nX-A: a')],
  ])('that %s fails: %s', async (_what, reason, say) => {
    expect(await from(say)).toEqual(failed(reason))
  })
})
