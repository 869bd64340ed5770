/** Somebody who reads one language and goes through the console state by state, in one page of the browser. */
import type { Browser, Page } from 'playwright-core'
import { DESKTOP, openPage } from '../support'
import { atTheEnd, faultsEverywhere } from './measure'
import type { State } from './states'
import { StubbedConsole } from './stubbed-console'

const LOCALES = { en: 'en-US', ko: 'ko-KR' } as const
export type Language = keyof typeof LOCALES

/** Leads here, if the browser was told so; yet browsers do not trust it. */
const FOREIGN = 'watchword.test'
export const FOREIGN_FLAG = `--host-resolver-rules=MAP ${FOREIGN} 127.0.0.1`

export class Visitor {
  readonly #console = new StubbedConsole()

  private constructor(
    readonly language: Language,
    readonly page: Page,
  ) {}

  static async arrive(browser: Browser, language: Language, measuring: string): Promise<Visitor> {
    const { page } = await openPage(browser, {
      locale: LOCALES[language],
      timezoneId: 'Asia/Seoul',
      reducedMotion: 'reduce',
    })
    // What one state made the browser remember is no matter of the next.
    await page.addInitScript('localStorage.clear()')
    await page.addInitScript(measuring)
    return new Visitor(language, page)
  }

  /** Goes where the state is met and answers what is wrong with its looks. */
  async look(state: State): Promise<string[]> {
    await this.go(state)
    const faults = await faultsEverywhere(this.page)
    // What was still on its way to its place is there when it is looked at again.
    const again = faults.length > 0 ? await faultsEverywhere(this.page) : []
    return faults.filter((fault) => again.includes(fault)).map((fault) => `${this.language} ${fault}`)
  }

  async go({ path, answers, steps, isLoading = false, isOffline = false, isForeign = false }: State): Promise<void> {
    this.#console.answers = answers
    await this.page.unrouteAll()
    if (isOffline) await this.page.route('**/rpc/**', (route) => route.abort())
    await this.page.setViewportSize(DESKTOP)
    await this.page.emulateMedia({ colorScheme: 'light' })
    // By way of nowhere: another part of the same address would load nothing.
    await this.page.goto('about:blank')
    await this.page.goto(`${isForeign ? this.#console.url.replace('127.0.0.1', FOREIGN) : this.#console.url}${path}`)
    await this.page.locator('main').waitFor()
    await this.#settled()
    for (const step of steps) {
      await step(this.page)
      await this.#settled()
    }
    if (!isLoading) {
      await this.page.waitForFunction(hasLoaded)
      await this.#settled()
    }
  }

  async leave(): Promise<void> {
    await this.#console.stop()
  }

  /** Until everything that was asked for and is answered has been shown. */
  async #settled(): Promise<void> {
    for (let asked = -1; asked !== this.#console.asked || this.#console.answering > 0; ) {
      asked = this.#console.asked
      await this.page.evaluate(atTheEnd)
    }
  }
}

/** For the page: nothing turns or is grey in place of what is still to come. */
const hasLoaded = () =>
  ![...document.querySelectorAll('[aria-busy=true], .mantine-Loader-root, .mantine-Skeleton-root')].some((waiting) =>
    waiting.checkVisibility(),
  )
