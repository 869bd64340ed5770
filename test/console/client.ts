/** A browser's calls to the console, without the browser: it keeps cookies and says where its page is from. */
import type { World } from '../support/world'

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
    private readonly ip = '127.0.0.1',
  ) {}

  /** A header that is undefined is left out. */
  async call(path: string, input?: unknown, headers: Record<string, string | undefined> = {}): Promise<ConsoleAnswer> {
    const sent = { 'content-type': 'application/json', origin: ORIGIN, cookie: this.cookie, ...headers }
    const request = new Request(`${ORIGIN}/console/rpc/${path}`, {
      method: 'POST',
      headers: Object.entries(sent).filter((header): header is [string, string] => header[1] !== undefined),
      body: JSON.stringify({ json: input }),
    })
    const response = await this.world.run(this.world.app.fetch(request, this.ip))
    const cookie = response.headers.get('set-cookie')
    if (cookie !== null) this.cookie = cookie.split(';')[0] ?? ''
    const text = await response.text()
    const body = text === '' ? undefined : JSON.parse(text).json
    return { status: response.status, body, cookie, headers: response.headers }
  }
}
