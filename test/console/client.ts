/** A browser's calls to the console, without the browser: it keeps cookies and says where its page is from. */
import { setUpToken } from '../../src/usecases/people'
import { type Furnished, World } from '../support/world'

export const ORIGIN = 'http://localhost'

// biome-ignore lint/suspicious/noExplicitAny: answers are compared, not used
type Json = any

export interface ConsoleAnswer {
  status: number
  body: Json
  cookie: string | null
  headers: Headers
}

export class ConsoleClient {
  cookie = ''

  constructor(
    private readonly world: Pick<World, 'app' | 'run'>,
    readonly ip = '127.0.0.1',
  ) {}

  #streams = new AbortController()

  /** A header that is undefined is left out. */
  async request(path: string, input?: unknown, headers: Record<string, string | undefined> = {}): Promise<Response> {
    const sent = { 'content-type': 'application/json', origin: ORIGIN, cookie: this.cookie, ...headers }
    this.#streams = new AbortController()
    const request = new Request(`${ORIGIN}/console/rpc/${path}`, {
      method: 'POST',
      headers: Object.entries(sent).filter((header): header is [string, string] => header[1] !== undefined),
      body: JSON.stringify({ json: input }),
      signal: this.#streams.signal,
    })
    return this.world.run(this.world.app.fetch(request, this.ip))
  }

  /** What a stream of server-sent events says, one event at a time; undefined once it has ended. `leave` hangs up. */
  async follow(path: string): Promise<{ next(): Promise<Json>; leave(): void }> {
    const response = await this.request(path)
    const streams = this.#streams
    const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    return {
      leave: () => streams.abort(),
      next: async () => {
        for (;;) {
          const end = text.indexOf('\n\n')
          if (end < 0) {
            const { value, done } = await this.world.run(reader.read())
            if (done) return undefined
            text += value
            continue
          }
          const [, data] = /^data: (.*)$/m.exec(text.slice(0, end)) ?? []
          text = text.slice(end + 2)
          if (data !== undefined) return JSON.parse(data).json
        }
      },
    }
  }

  async call(path: string, input?: unknown, headers: Record<string, string | undefined> = {}): Promise<ConsoleAnswer> {
    const response = await this.request(path, input, headers)
    const cookie = response.headers.get('set-cookie')
    if (cookie !== null) this.cookie = cookie.split(';')[0] ?? ''
    const isStream = response.headers.get('content-type') === 'text/event-stream'
    const text = isStream ? '' : await response.text()
    if (isStream) this.#streams.abort()
    const body = text === '' ? undefined : JSON.parse(text).json
    return { status: response.status, body, cookie, headers: response.headers }
  }
}

/** A world of one app, with its keys and the owner of the console signed in. */
export async function furnishedConsole(): Promise<{ world: World; keys: Furnished; owner: ConsoleClient }> {
  const world = await World.start()
  const keys = await world.furnish()
  const owner = new ConsoleClient(world)
  const person = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' }
  await owner.call('session/setUp', { token: await setUpToken(world), ...person })
  return { world, keys, owner }
}
