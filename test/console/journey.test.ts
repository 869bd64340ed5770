/** From nothing to a verified code, by a person who has read nothing: the released binary in a real browser. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { alone, compile } from '../binary/compiled'
import { Server } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'
import { launch, type Opened, openPage, PHONE } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

let browser: Browser
let binary = ''
const undo: Array<() => unknown> = []

beforeAll(async () => {
  binary = await compile()
  browser = await launch()
})
afterAll(async () => {
  await browser.close()
  for (const step of undo.reverse()) await step()
})

interface Words {
  name: string
  email: string
  password: string
  make: string
  appName: string
  makeApp: string
  tryIt: string
  issue: string
  verify: string
  verified: string
}

const ENGLISH: Words = {
  name: 'Your name',
  email: 'E-mail address',
  password: 'Password',
  make: 'Create the account',
  appName: 'Name of the app',
  makeApp: 'Create app',
  tryIt: 'Try it',
  issue: 'Issue code',
  verify: 'Verify',
  verified: 'This is all your app has to do',
}

const KOREAN: Words = {
  name: '이름',
  email: '이메일',
  password: '비밀번호',
  make: '계정 만들기',
  appName: '앱 이름',
  makeApp: '앱 만들기',
  tryIt: '시험해 보기',
  issue: '인증번호 발급',
  verify: '확인',
  verified: '앱에서 할 일은',
}

/** Clicks are counted; typing is not. */
class Visitor {
  clicks = 0
  constructor(
    readonly opened: Opened,
    readonly words: Words,
  ) {}

  get page(): Page {
    return this.opened.page
  }

  async click(role: 'button' | 'link', name: string): Promise<void> {
    this.clicks++
    await this.page.getByRole(role, { name, exact: true }).first().click()
  }

  async fill(label: string, value: string): Promise<void> {
    await this.page.getByLabel(label, { exact: true }).first().fill(value)
  }
}

async function arrive(words: Words, options: BrowserContextOptions = {}): Promise<Visitor> {
  const { program, remove } = alone(binary)
  undo.push(remove)
  const server = await Server.start(program)
  undo.push(() => server.stop('SIGKILL'))
  const opened = await openPage(browser, options)
  await opened.page.goto(JSON.parse(server.stdout.split('\n')[0] ?? '').setUp)
  return new Visitor(opened, words)
}

/** From an empty console to the page where codes are tried. */
async function begin(visitor: Visitor): Promise<void> {
  const { words } = visitor
  await visitor.fill(words.name, 'Ann')
  await visitor.fill(words.email, 'ann@example.com')
  await visitor.fill(words.password, 'correct horse battery')
  await visitor.click('button', words.make)
  await visitor.fill(words.appName, 'Shop')
  await visitor.click('button', words.makeApp)
  await visitor.click('link', words.tryIt)
}

async function goThrough(visitor: Visitor): Promise<void> {
  const { words, page } = visitor
  await begin(visitor)
  await visitor.click('button', words.issue)
  await visitor.click('button', words.verify)
  await page.getByText(words.verified).waitFor()
}

describe('from the set-up link to a verified code', () => {
  test('in under ten clicks, and the browser has nothing to complain of', async () => {
    const visitor = await arrive(ENGLISH)
    await goThrough(visitor)
    expect(visitor.clicks).toBeLessThan(10)
    expect(visitor.opened.complaints).toEqual([])
    expect(new Set(visitor.opened.requests.map((url) => new URL(url).origin)).size).toBe(1)
  })

  test('in Korean', async () => {
    const visitor = await arrive(KOREAN, { locale: 'ko-KR' })
    await goThrough(visitor)
    expect(await visitor.page.locator('html').getAttribute('lang')).toBe('ko')
    expect(visitor.opened.complaints).toEqual([])
  })

  test('on a phone, in the dark', async () => {
    const visitor = await arrive(ENGLISH, { viewport: PHONE, hasTouch: true, colorScheme: 'dark' })
    await goThrough(visitor)
    expect(visitor.opened.complaints).toEqual([])
  })

  test('also where somebody goes on before the app is there', async () => {
    const visitor = await arrive(ENGLISH)
    const { words, page } = visitor
    const made = Promise.withResolvers<void>()
    await page.route('**/console/rpc/apps/create', (route) => made.promise.then(() => route.continue()))
    await begin(visitor)
    const listed = page.waitForResponse('**/console/rpc/apps/list')
    made.resolve()
    await listed
    await visitor.click('button', words.issue)
  })
})
