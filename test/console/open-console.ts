/** The console in a real browser over a real server: from source, with its first operator signed in. */
import type { Browser, Page } from 'playwright-core'
import { type Json, type Program, Server } from '../binary/support'
import { atRest } from './accessible'
import { faultsOf, launch, type Opened, openPage } from './support'

export const OWNER = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' }

export class OpenConsole {
  private constructor(
    readonly server: Server,
    readonly browser: Browser,
    private readonly opened: Opened,
  ) {}

  /** Starts the server, the browser, and makes the owner. */
  static async start(program: Program): Promise<OpenConsole> {
    const [server, browser] = await Promise.all([Server.start(program), launch()])
    const opened = new OpenConsole(server, browser, await openPage(browser))
    const { setUp } = JSON.parse(server.stdout.split('\n')[0] ?? '')
    await opened.go('/sign-in')
    await opened.rpc('session/setUp', { token: String(setUp).split('#')[1], ...OWNER })
    return opened
  }

  get page(): Page {
    return this.opened.page
  }

  get complaints(): string[] {
    return this.opened.complaints
  }

  async stop(): Promise<void> {
    await this.browser.close()
    await this.server.stop('SIGKILL')
  }

  async go(path: string): Promise<void> {
    await this.page.goto(`${this.server.url}/console${path}`)
  }

  /** A procedure, called from within the page with its cookie. */
  async rpc(procedure: string, input: object = {}): Promise<Json> {
    const { status, body } = await callFrom(this.page, procedure, input)
    if (status !== 200) throw new Error(`${procedure} answered ${status}: ${body}`)
    return JSON.parse(body).json
  }

  /** What axe finds wrong with the page as it stands. */
  async violations(): Promise<string[]> {
    await this.page.evaluate(atRest)
    return faultsOf(this.page)
  }
}

/** As the console's own pages call it. */
export const callFrom = (page: Page, procedure: string, input: object): Promise<{ status: number; body: string }> =>
  page.evaluate(
    async ({ procedure, input }) => {
      const response = await fetch(`/console/rpc/${procedure}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ json: input }),
      })
      return { status: response.status, body: await response.text() }
    },
    { procedure, input },
  )
