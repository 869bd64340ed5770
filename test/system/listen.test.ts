/** How a server stops listening: nobody's request is lost on a connection that the server closes. */
import { expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { listen } from '../../src/system/listen'
import { VirtualClock } from '../support/clock'
import { sendRaw } from '../support/raw'
import { until } from '../support/until'

const LEAVING_MS = 500

/** A server, and the time by which it stops: it passes only where a test lets it. */
function listening(fetch: () => Promise<Response> = async () => new Response('well')) {
  const clock = new VirtualClock(0)
  const descriptors = { areShort: () => false, remaining: () => 1, onShortage() {} }
  return { ...listen({ host: '127.0.0.1', port: 0, routePatterns: [], descriptors, fetch, clock }), clock }
}

/** A server whose only request is answered when a test says so. */
async function busy() {
  const arrived = Promise.withResolvers<void>()
  const response = Promise.withResolvers<Response>()
  const listener = listening(() => {
    arrived.resolve()
    return response.promise
  })
  const answering = fetch(listener.url)
  await arrived.promise
  return { ...listener, answering, answer: () => response.resolve(new Response('well')) }
}

const takesNobody = (url: string) =>
  until(
    () =>
      fetch(url).then(
        () => false,
        () => true,
      ),
    'nobody to be taken any more',
  )

/** A connection that is kept, as a load balancer keeps them. */
class Kept implements Disposable {
  readonly #socket: Socket
  #isOver = false

  private constructor(url: string) {
    this.#socket = connect(Number(new URL(url).port), '127.0.0.1')
    this.#socket
      .on('error', () => {})
      .on('close', () => {
        this.#isOver = true
      })
  }

  static async at(url: string): Promise<Kept> {
    const kept = new Kept(url)
    // Nobody is accepted who has not said anything.
    expect(await kept.ask()).toStartWith('HTTP/1.1 200')
    return kept
  }

  /** The whole answer; nothing where the connection ends before there is one. */
  ask(): Promise<string> {
    return new Promise((resolve) => {
      let answer = ''
      const end = () => resolve(answer)
      if (this.#isOver) return end()
      this.#socket.on('data', (chunk) => {
        answer += chunk
        if (!answer.endsWith('well')) return
        this.#socket.removeAllListeners('data').off('close', end)
        end()
      })
      this.#socket.on('close', end)
      this.#socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    })
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }
}

test('who keeps a connection is told that it ends before it does', async () => {
  const listener = listening()
  using kept = await Kept.at(listener.url)
  const stopped = listener.stop(LEAVING_MS)
  const answer = await kept.ask()
  expect(answer).toStartWith('HTTP/1.1 200')
  expect(answer.toLowerCase()).toContain('connection: close')
  expect(listener.clock.fireNext(LEAVING_MS).passedMs).toBe(LEAVING_MS)
  await stopped
  expect(await kept.ask()).toBe('')
})

// linkerd/linkerd2#4934: a proxy that is not told keeps a connection that is gone.
test('the answer to a request with Connection: close says so, too', async () => {
  const { url, stop, clock } = listening()
  expect(await sendRaw(url, 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Close\r\n\r\n')).toMatch(
    /\r\nconnection: close\r\n/i,
  )
  const stopped = stop(LEAVING_MS)
  clock.fireNext(LEAVING_MS)
  await stopped
})

test('who comes anew meanwhile is answered, and then nobody is taken any more', async () => {
  const { url, stop, clock } = listening()
  const stopped = stop(LEAVING_MS)
  for (let passedMs = 1; passedMs < LEAVING_MS; passedMs += LEAVING_MS / 5) {
    expect((await fetch(url)).headers.get('connection')).toBe('close')
    expect(clock.fireNext(LEAVING_MS / 5 - 1).fired).toBe(false)
  }
  clock.fireNext(LEAVING_MS)
  await stopped
  await takesNobody(url)
})

test('what has begun is answered', async () => {
  const { url, stop, clock, answer, answering } = await busy()
  const stopped = stop(0)
  clock.fireNext(0)
  await takesNobody(url)
  answer()
  expect(await (await answering).text()).toBe('well')
  await stopped
})

test('what is never answered is waited for, but not without end', async () => {
  const { url, stop, clock, answering } = await busy()
  let isStopped = false
  const stopped = stop(0).then(() => {
    isStopped = true
  })
  const cut = answering.catch(() => 'cut')
  clock.fireNext(0)
  await takesNobody(url)
  expect(isStopped).toBe(false)
  expect(clock.fireNext(Number.POSITIVE_INFINITY).fired).toBe(true)
  await stopped
  expect(await cut).toBe('cut')
})

test('whose request was under way before is told, too', async () => {
  const { stop, clock, answer, answering } = await busy()
  const stopped = stop(LEAVING_MS)
  answer()
  expect((await answering).headers.get('connection')).toBe('close')
  clock.fireNext(LEAVING_MS)
  await stopped
})

/** As docs/requests.md tells it. Where a newer Bun asks somebody first, each of these should have its id and time. */
test.each([
  ['a header over 16 KB', `GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(17_000)}\r\n\r\n`, '431'],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n', '400'],
  ['a request line that is none', 'GARBAGE\r\n\r\n', '400'],
  ['a chunk that is none', 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', '400'],
  ['another version of HTTP', 'GET / HTTP/2.0\r\nHost: localhost\r\n\r\n', '505'],
  ['a method that there is not', 'BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n', ''],
])('%s is refused by the parser, which asks nobody what to say', async (_what, request, status) => {
  const { url, stop, clock } = listening(() => new Promise(() => {}))
  const answer = await sendRaw(url, request)
  expect(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? '').toBe(status)
  expect(answer.toLowerCase()).not.toContain('x-request-id')
  const stopped = stop(0)
  clock.fireNext(0)
  await takesNobody(url)
  clock.fireNext(Number.POSITIVE_INFINITY)
  await stopped
})
