/** The console in a real browser: a server from source with its first operator, and a page that has no complaints. */
import axe from 'axe-core'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { chromiumPath, type Json, type Program, Server } from '../binary/support'

const BROWSER_FLAGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']

const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Still an experiment: it takes the initials in a picture for a name. */
const AXE_RULES = JSON.stringify({ 'label-content-name-mismatch': { enabled: false } })

/** Colours on their way from one to the other are nobody's choice. */
function endTransitions(): void {
  for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish()
}

export const OWNER = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' }

export class OpenConsole {
  /** What the browser's console complained about, the console's own policy included. */
  readonly complaints: string[] = []

  private constructor(
    readonly server: Server,
    readonly browser: Browser,
    readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  /** Starts the server, the browser, and makes the owner. */
  static async start(program: Program, options: BrowserContextOptions = {}): Promise<OpenConsole> {
    const [server, browser] = await Promise.all([
      Server.start(program),
      chromiumPath().then((executablePath) => chromium.launch({ executablePath, args: BROWSER_FLAGS })),
    ])
    const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 }, ...options })
    context.setDefaultTimeout(10_000)
    const opened = new OpenConsole(server, browser, context, await context.newPage())
    opened.page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) opened.complaints.push(message.text())
    })
    opened.page.on('pageerror', (error) => opened.complaints.push(error.message))
    const { setUp } = JSON.parse(server.stdout.split('\n')[0] ?? '')
    await opened.go('/sign-in')
    await opened.rpc('session/setUp', { token: String(setUp).split('#')[1], ...OWNER })
    return opened
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
    const { status, body } = await this.page.evaluate(
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
    if (status !== 200) throw new Error(`${procedure} answered ${status}: ${body}`)
    return JSON.parse(body).json
  }

  /** What axe finds wrong with the page as it stands. */
  async violations(): Promise<string[]> {
    // Through the browser's own protocol, since the console's policy lets no other script in.
    await this.page.evaluate(axe.source)
    await this.page.evaluate(endTransitions)
    const found: Json = await this.page.evaluate(
      `axe.run({ runOnly: ${JSON.stringify(AXE_TAGS)}, rules: ${AXE_RULES} })`,
    )
    return found.violations.flatMap(({ id, nodes }: Json) => nodes.map(({ html }: Json) => `${id}: ${html}`))
  }
}
