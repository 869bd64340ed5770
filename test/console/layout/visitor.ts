/** Somebody who reads one language and goes through the console state by state, in one page of the browser. */
import type { Browser, Page } from 'playwright-core'
import { hasLoaded } from '../accessible'
import { openPage } from '../support'
import { AT_A_DESK, atTheEnd, faultsEverywhere, NARROW_AND_WIDE } from './measure'
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
    })
    // What one state made the browser remember is no matter of the next.
    await page.addInitScript('localStorage.clear()')
    await page.addInitScript(measuring)
    return new Visitor(language, page)
  }

  /** Goes where the state is met and answers what is wrong with its looks. */
  async look(state: State, looks = NARROW_AND_WIDE): Promise<string[]> {
    await this.go(state)
    const faults = await faultsEverywhere(this.page, looks)
    // What was still on its way to its place is there when it is looked at again.
    const again = faults.length > 0 ? await faultsEverywhere(this.page, looks) : []
    return faults.filter((fault) => again.includes(fault)).map((fault) => `${this.language} ${fault}`)
  }

  async go({ path, answers, steps, isLoading = false, isOffline = false, isForeign = false }: State): Promise<void> {
    this.#console.answers = answers
    await this.page.unrouteAll()
    if (isOffline) await this.page.route('**/rpc/**', (route) => route.abort())
    // By way of nowhere: another part of the same address would load nothing, and nowhere is quickly drawn anew.
    await this.page.goto('about:blank')
    await this.page.setViewportSize(AT_A_DESK)
    await this.page.emulateMedia({ colorScheme: 'light' })
    await this.page.goto(`${isForeign ? this.#console.url.replace('127.0.0.1', FOREIGN) : this.#console.url}${path}`)
    await this.page.locator('main').waitFor()
    await this.#settled(!isLoading && steps.length === 0)
    for (const [index, step] of steps.entries()) {
      await step(this.page)
      await this.#settled(!isLoading && index === steps.length - 1)
    }
  }

  async leave(): Promise<void> {
    await this.#console.stop()
  }

  /** Waits until every answer is shown and, where the page has to load, until nothing on it turns or is grey. */
  async #settled(hasToLoad: boolean): Promise<void> {
    let asked: number
    let isShown: boolean
    do {
      asked = this.#console.asked
      await this.page.evaluate(atTheEnd)
      isShown = !hasToLoad || (await this.page.evaluate(hasLoaded))
    } while (!isShown || asked !== this.#console.asked || this.#console.answering > 0)
  }
}
