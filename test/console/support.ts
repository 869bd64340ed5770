/** The console in a real browser: what a page complained of, what it asked for, and whether axe finds fault with it. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { chromiumPath } from '../binary/support'
import { HANGS_AFTER_MS, until } from '../support/until'

const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Nothing on a page takes so long to come. Shorter than a test's limit, so that the error says what was waited for. */
export const WAITS_AT_MOST_MS = HANGS_AFTER_MS / 2

export const launch = async (...flags: string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: await chromiumPath(),
    headless: true,
    args: [...BROWSER_FLAGS, ...flags],
    timeout: HANGS_AFTER_MS,
  })

export interface Opened {
  page: Page
  /** Whatever the console, an uncaught error or the content security policy said. */
  complaints: string[]
  /** URLs, in order. */
  requests: string[]
}

export const DESKTOP = { width: 1280, height: 800 }
export const PHONE = { width: 390, height: 844 }

/** A page of a browser that knows nothing yet. Nothing moves in it: what is half faded in has other colours than it will have. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-US', reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(WAITS_AT_MOST_MS)
  const page = await context.newPage()
  const complaints: string[] = []
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('console', (message) => {
    // A browser with a window asks for this of its own accord, whatever the page says.
    if (message.location().url.endsWith('/favicon.ico')) return
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, complaints, requests }
}

const AXE = await Bun.file(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir)).text()

/** What WCAG 2.2 AA and good practice find wrong with the page as it stands; empty is well. Through the debugger, past the page's policy. */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: AxeCore }
    const { violations } = await axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    })
    // What opens over the page lies beside its landmarks; the roles of menus and dialogs say enough.
    const isOverPage = (selector: unknown) =>
      typeof selector === 'string' && document.querySelector(selector)?.closest('[data-portal]') !== null
    return violations.flatMap(({ id, nodes }) =>
      nodes
        .filter(({ target: [selector] }) => id !== 'region' || !isOverPage(selector))
        .map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    )
  })
}

interface AxeCore {
  run(
    context: Document,
    options: { runOnly: string[] },
  ): Promise<{ violations: { id: string; nodes: { html: string; target: unknown[]; failureSummary?: string }[] }[] }>
}

/**
 * Chooses an option by keys. A list that becomes shorter while someone types moves, and a click would meet another place.
 */
export async function chooseOption(page: Page, name: string): Promise<void> {
  const option = page.getByRole('option', { name })
  await option.waitFor()
  await until(async () => {
    await page.keyboard.press('ArrowDown')
    return (await option.getAttribute('data-combobox-selected')) !== null
  }, `the option ${name} to be reached`)
  await page.keyboard.press('Enter')
}

/**
 * Answers the console's procedures in the browser, by path: `{ 'apps/list': { apps: [] } }`. What is not there is never
 * answered: a page shows that it is loading.
 */
export async function stub(page: Page, answers: Record<string, object>): Promise<void> {
  await page.route('**/console/rpc/**', async (route) => {
    const path = new URL(route.request().url()).pathname.slice('/console/rpc/'.length)
    const answer = answers[path]
    if (answer === undefined) return
    if (answer instanceof StubFailure)
      return route.fulfill({ status: answer.status, headers: { 'x-request-id': answer.requestId }, json: answer.body })
    await route.fulfill({ json: { json: answer } })
  })
}

export class StubFailure {
  readonly body: object
  constructor(
    readonly status: number,
    code: string,
    message: string,
    readonly requestId: string,
    data?: object,
  ) {
    this.body = { json: { defined: true, code, status, message, ...(data && { data }) } }
  }
}
