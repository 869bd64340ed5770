/** A real browser for the console's pages: it keeps what the pages complain of, and holds them against WCAG. */
import { expect } from 'bun:test'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { chromiumPath } from '../binary/support'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const openBrowser = async (): Promise<Browser> =>
  chromium.launch({ executablePath: await chromiumPath(), headless: true, args: FLAGS })

/** Somebody at a browser of their own. Refused requests are complained of by the browser itself, and are no complaint. */
export async function somebody(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text())
  })
  return { page, complaints }
}

/** What axe finds wrong with the page as it is shown now, in a light room and in a dark one. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // Colours are not measured half way from one to the other.
    await page.evaluate(() =>
      Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))),
    )
    await page.evaluate(`${axe.source};0`)
    const violations = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
      const found = await axe.run(document, { resultTypes: ['violations'] })
      return found.violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
      )
    })
    expect({ what, colorScheme, violations }).toEqual({ what, colorScheme, violations: [] })
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
