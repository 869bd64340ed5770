/** How a server stops listening: nobody's request is lost on a connection that the server closes. */
import { expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { type Listener, listen } from '../../src/system/listen'

const LEAVING_MS = 500

const listening = (fetch: () => Promise<Response> = async () => new Response('well')): Listener =>
  listen({
    host: '127.0.0.1',
    port: 0,
    mounts: [],
    descriptors: { areShort: () => false, left: () => 1, makeRoom() {} },
    fetch,
  })

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
  await stopped
  expect(await kept.ask()).toBe('')
})

test('who comes anew meanwhile is answered, and then nobody is taken any more', async () => {
  const listener = listening()
  const stopped = listener.stop(LEAVING_MS)
  let answered = 0
  const asking = (async () => {
    for (;;) {
      const response = await fetch(listener.url).catch(() => undefined)
      if (!response) return
      expect(response.headers.get('connection')).toBe('close')
      answered++
      await Bun.sleep(20)
    }
  })()
  await Promise.all([stopped, asking])
  expect(answered).toBeGreaterThan(3)
})

test('what has begun is answered', async () => {
  let answer = (_: Response) => {}
  const arrived = Promise.withResolvers<void>()
  const listener = listening(() => {
    arrived.resolve()
    return new Promise((resolve) => (answer = resolve))
  })
  const answering = fetch(listener.url)
  await arrived.promise
  const stopped = listener.stop(0)
  await Bun.sleep(300)
  answer(new Response('well'))
  expect(await (await answering).text()).toBe('well')
  await stopped
})

test('whose request was under way before is told, too', async () => {
  let answer = (_: Response) => {}
  const arrived = Promise.withResolvers<void>()
  const listener = listening(() => {
    arrived.resolve()
    return new Promise((resolve) => (answer = resolve))
  })
  const answering = fetch(listener.url)
  await arrived.promise
  const stopped = listener.stop(LEAVING_MS)
  answer(new Response('well'))
  expect((await answering).headers.get('connection')).toBe('close')
  await stopped
})
