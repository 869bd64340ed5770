/** A verification screen, from a number to a verified one, in a real browser against a real server. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { ar, fa, he } from '../../client/texts'
import { expectAccessible } from '../console/accessible'
import { isNightly } from '../support/depth'
import { HANGS_AFTER_MS, until } from '../support/until'
import { heard, listen } from './screens/heard'
import { KINDS, openSite, type Site } from './screens/site'

setDefaultTimeout(HANGS_AFTER_MS)

let site: Site

beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site?.close())
afterEach(async () => {
  for (const context of site.browser.contexts()) await context.close()
})

const number = (scenario = 0) => `010-0000-00${String(scenario).padStart(2, '0')}`
const RIGHT = '000000'
/** The first of them, as it is sent and shown: without the zero that is dialled within the country. */
const WHOLE = '+82 10 0000 0000'

/** What a person finds on the screen. */
const on = (page: Page) => ({
  country: page.getByRole('button', { name: /^Country: / }),
  phone: page.getByLabel('Phone number'),
  code: page.getByLabel('Verification code'),
  send: page.getByRole('button', { name: 'Send code' }),
  verify: page.getByRole('button', { name: 'Verify' }),
  resend: page.getByRole('button', { name: 'Send a new code' }),
  again: page.getByRole('button', { name: 'Try again' }),
  change: page.getByRole('button', { name: 'Change number' }),
  cancel: page.getByRole('button', { name: 'Cancel' }),
  status: page.getByRole('status'),
  alert: page.getByRole('alert'),
})

/** Where the person is: the name of what has the focus. */
const focused = (page: Page) =>
  page.evaluate(() => {
    let active = document.activeElement
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement
    const name = (active as HTMLInputElement | null)?.labels?.[0]?.textContent
    return name ?? active?.getAttribute('aria-label') ?? active?.textContent ?? ''
  })

/** All that follows the screen: the list of countries, and the client, which has asked what the key may do. */
async function isLoaded(page: Page, requests: readonly string[]): Promise<void> {
  await on(page).country.waitFor()
  await until(() => requests.some((url) => url.endsWith('/rpc/otp/screen')), 'the client')
}

const countryIn = (page: Page) => on(page).country.getAttribute('value')

/** Types a name into the list of countries, and takes the first one. */
async function choose(page: Page, name: string): Promise<void> {
  await on(page).country.click()
  await page.getByRole('combobox').fill(name)
  await page.keyboard.press('Enter')
}

async function sendTo(page: Page, phoneNumber = number()): Promise<void> {
  await on(page).phone.fill(phoneNumber)
  await on(page).send.click()
}

async function sent(page: Page, phoneNumber = number()): Promise<void> {
  await sendTo(page, phoneNumber)
  await on(page).code.waitFor()
}

const paste = (page: Page, text: string) =>
  on(page).code.evaluate((field, pasted) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text', pasted)
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true })
    if (field.dispatchEvent(event)) document.execCommand('insertText', false, pasted)
  }, text)

const says = async (page: Page, role: 'status' | 'alert', text: string) => {
  await page.getByRole(role).filter({ hasText: text }).waitFor()
}

const verifications = (requests: readonly string[]) => requests.filter((url) => url.endsWith('/rpc/otp/verify')).length
const orders = (requests: readonly string[]) => requests.filter((url) => url.endsWith('/rpc/otp/issue')).length

const told = (page: Page, type: string): Promise<unknown[]> =>
  page.evaluate((type) => globalThis.told.filter((one) => one.type === type).map(({ detail }) => detail), type)

const directionOf = (page: Page, role: 'status' | 'alert') =>
  page.getByRole(role).evaluate((node) => getComputedStyle(node).direction)

/** What is read out after the name of a field. */
const describedBy = (page: Page, name: string): Promise<string> =>
  page.getByLabel(name).evaluate((field) => {
    const root = field.getRootNode() as Document | ShadowRoot
    const ids = field.getAttribute('aria-describedby')?.split(' ') ?? []
    return ids
      .map((id) => root.getElementById(id)?.textContent ?? '')
      .join(' ')
      .trim()
  })

/** A test key may have another code at once; a live one may not. */
const resendAfter = (page: Page, ms: number): Promise<unknown> =>
  page.route('**/rpc/otp/issue', async (route) => {
    const response = await route.fetch()
    if (route.request().method() !== 'POST' || !response.ok()) return route.fulfill({ response })
    const { json } = await response.json()
    const resendAvailableAt = new Date(Date.parse(json.queuedAt) + ms).toISOString()
    await route.fulfill({ response, json: { json: { ...json, resendAvailableAt } } })
  })

declare global {
  var shaken: number
  var message: (code: string) => void
  var messageAsks: Array<{ transport: string[]; isOver: boolean }>
}

/** A browser that reads messages, in so far as a page sees it. */
const messages = (page: Page) =>
  page.addInitScript(() => {
    Object.assign(globalThis, { OTPCredential: class {}, messageAsks: [] })
    navigator.credentials.get = ((options: { otp: { transport: string[] }; signal: AbortSignal }) => {
      const ask = { transport: options.otp.transport, isOver: false }
      globalThis.messageAsks.push(ask)
      return new Promise((resolve, reject) => {
        options.signal.addEventListener('abort', () => {
          ask.isOver = true
          reject(options.signal.reason)
        })
        globalThis.message = (code) => resolve({ id: '', type: 'otp', code } as Credential)
      })
    }) as typeof navigator.credentials.get
  })

const asksForMessages = (page: Page) => page.evaluate(() => globalThis.messageAsks)

/** A vendor's script, in so far as a page sees it. */
const WIDGET = `globalThis.turnstile = {
  render(node, { sitekey, callback }) {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'I am human' })
    button.onclick = () => callback('token-of-' + sitekey)
    node.append(button)
  },
}`

const VERIFIED = 'Your phone number is verified.'

describe.each(KINDS)('%s', (kind) => {
  test('from a number to a verified one, with a keyboard only', async () => {
    const { page, complaints } = await site.open(kind)
    await on(page).country.waitFor()
    const { keyboard } = page
    await keyboard.press('Tab')
    expect(await focused(page)).toBe('Country: South Korea +82')
    await keyboard.press('Tab')
    expect(await focused(page)).toBe('Phone number')
    await keyboard.type(number())
    await keyboard.press('Enter')
    await on(page).code.waitFor()
    expect(await focused(page)).toBe('Verification code')
    await says(page, 'status', 'We have sent you a code.')
    await keyboard.type('12345')
    await keyboard.press('Enter')
    await says(page, 'alert', 'The code has six digits.')
    await keyboard.type('6')
    await says(page, 'alert', 'That is not the code. Tries left: 4.')
    expect(await focused(page)).toBe('Verification code')
    await keyboard.type(RIGHT)
    await says(page, 'status', VERIFIED)
    expect(await focused(page)).toBe(VERIFIED)
    expect(complaints).toEqual([])
    expect(await told(page, 'verified')).toMatchObject([{ phoneNumber: WHOLE, answer: { verified: true } }])
  })

  test('the message is asked for in the language of the screen', async () => {
    const { page } = await site.open(kind, { lang: 'ko' })
    const asking = page.waitForRequest(
      (request) => request.url().endsWith('/rpc/otp/issue') && request.method() === 'POST',
    )
    await page.getByRole('textbox').fill(number())
    await page.keyboard.press('Enter')
    expect((await asking).postDataJSON()).toMatchObject({ json: { locale: 'ko', purpose: 'signup' } })
  })

  test('each control is reached with Tab, also the way back', async () => {
    const { page } = await site.open(kind)
    await sent(page)
    await page.keyboard.press('Shift+Tab')
    expect(await focused(page)).toBe('Change number')
    await page.keyboard.press('Enter')
    await on(page).phone.waitFor()
    expect(await focused(page)).toBe('Phone number')
    expect(await on(page).phone.inputValue()).toBe(number())
    await page.keyboard.press('Enter')
    await on(page).code.waitFor()
    for (const name of ['Verify', 'Send a new code']) {
      await page.keyboard.press('Tab')
      expect(await focused(page)).toStartWith(name)
    }
  })

  test.each([
    ['a whole message', 'Your Watchword code is 000000. Do not share it.'],
    ['spaces and a dash', ' 000-000\n'],
    ['full-width digits', '０００ ０００'],
  ])('%s may be pasted', async (_, text) => {
    const { page } = await site.open(kind)
    await sent(page)
    // What was there before is no part of it.
    await page.keyboard.type('12')
    await paste(page, text)
    await says(page, 'status', VERIFIED)
  })

  test('what has two codes in it is not tried, nor is a seventh digit', async () => {
    const { page, requests } = await site.open(kind)
    await sent(page)
    await paste(page, 'Order 123456, code 000000')
    expect(await on(page).code.inputValue()).toBe('')
    await page.keyboard.type('999999')
    await says(page, 'alert', 'Tries left: 4.')
    await page.keyboard.press('End')
    await page.keyboard.type('1')
    expect(await on(page).code.inputValue()).toBe('999999')
    expect(verifications(requests)).toBe(1)
  })

  test('digits of a Japanese keyboard are digits, in either field', async () => {
    const { page } = await site.open(kind)
    await sendTo(page, '０１０－００００－００００')
    await on(page).code.waitFor()
    await page.keyboard.insertText('０００')
    await page.keyboard.insertText('０００')
    await says(page, 'status', VERIFIED)
  })

  test('five wrong codes lock; another code opens', async () => {
    const { page } = await site.open(kind)
    await sent(page, number(5))
    for (const left of [4, 3, 2, 1]) {
      await page.keyboard.type('123456')
      await says(page, 'alert', `Tries left: ${left}.`)
      expect(await on(page).code.getAttribute('aria-invalid')).toBe('true')
    }
    await page.keyboard.type('123456')
    await says(page, 'alert', 'Too many wrong codes.')
    expect(await on(page).code.isVisible()).toBe(false)
    expect(await focused(page)).toBe('Send a new code')
    expect(await told(page, 'failed')).toMatchObject([{ status: 'locked', reason: 'MAX_ATTEMPTS' }])
    await page.keyboard.press('Enter')
    await on(page).code.waitFor()
    expect(await focused(page)).toBe('Verification code')
    expect(await on(page).code.inputValue()).toBe('')
  })

  test('a code ends by itself; the next one has a field of its own', async () => {
    const { page } = await site.open(kind, {}, (page) => page.clock.install())
    await sent(page, number(4))
    await page.keyboard.type('12')
    await page.clock.fastForward(10_000)
    await says(page, 'alert', 'This code has expired. Ask for another one.')
    expect(await focused(page)).toBe('Send a new code')
    await on(page).change.click()
    await sent(page)
    expect(await on(page).code.inputValue()).toBe('')
    await page.keyboard.type(RIGHT)
    await says(page, 'status', VERIFIED)
  })

  test('another code is offered when there is one; its countdown is seen, and not read out', async () => {
    const { page, requests } = await site.open(kind, {}, async (page) => {
      await page.clock.install()
      await resendAfter(page, 30_000)
    })
    await sent(page)
    expect(await on(page).resend.textContent()).toMatch(/^Send a new code 0:(30|29)$/)
    await on(page).resend.focus()
    await listen(page)
    await page.keyboard.press('Enter')
    await page.clock.runFor(10_000)
    expect(await on(page).resend.textContent()).toMatch(/^Send a new code 0:[12]\d$/)
    expect(await page.getByRole('button', { name: 'Send a new code', exact: true }).count()).toBe(1)
    expect(await focused(page)).toMatch(/^Send a new code/)
    expect(orders(requests)).toBe(1)
    await page.clock.runFor(20_000)
    expect(await on(page).resend.textContent()).toBe('Send a new code')
    expect(await heard(page)).toEqual([])
    await page.keyboard.press('Enter')
    await until(async () => (await heard(page)).at(-1) === 'We have sent you a code.', 'another code')
    expect(await focused(page)).toBe('Verification code')
    expect(orders(requests)).toBe(2)
  })

  test('how long to wait runs down before the eyes, and is said once', async () => {
    const { page } = await site.open(kind, {}, (page) => page.clock.install())
    await on(page).phone.waitFor()
    await listen(page)
    await sendTo(page, number(6))
    await says(page, 'alert', 'Too many tries. Try again in 1:00.')
    await page.clock.runFor(30_000)
    await says(page, 'alert', 'Too many tries. Try again in 0:')
    // None was sent, and the wait is shown once.
    expect(await page.getByText('We sent a code').count()).toBe(0)
    expect(await on(page).again.textContent()).toBe('Try again')
    expect(await heard(page)).toEqual(['Sending a code…', 'Too many tries. Try again in 1:00.'])
    await page.clock.runFor(30_000)
    expect(await heard(page)).toHaveLength(3)
    expect((await heard(page)).at(-1)).toBe('You can ask for another code now.')
  })

  test('the same is wrong again: it is said again', async () => {
    const { page } = await site.open(kind)
    await sent(page)
    await listen(page)
    for (const times of [1, 2]) {
      await page.keyboard.press('Enter')
      await until(async () => (await heard(page)).length === times, 'to be told')
    }
    expect(new Set(await heard(page))).toEqual(new Set(['The code has six digits.']))
  })

  test.each([
    ['', 'This is not a valid phone number.'],
    ['010-1234-5678', 'Only test numbers can be used here.'],
  ])('a number that will not do: %p', async (typed, told) => {
    const { page } = await site.open(kind)
    await sendTo(page, typed)
    await says(page, 'alert', told)
    expect(await focused(page)).toBe('Phone number')
    expect(await on(page).phone.getAttribute('aria-invalid')).toBe('true')
    expect(await describedBy(page, 'Phone number')).toBe(told)
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type(number())
    await page.keyboard.press('Enter')
    await on(page).code.waitFor()
    await says(page, 'status', 'We have sent you a code.')
  })

  // pg-irc/pathways-frontend#1232, giggsey/libphonenumber-for-php#470: its digits would be another phone's.
  test.each(['010-0000-0001 x2', '010-0000-00O1', '010-0000-0001 or 3'])(
    'what is more than a number goes to nobody, typed or pasted: %p',
    async (given) => {
      const { page } = await site.open(kind)
      const { phone } = on(page)
      for (const enter of ['type', 'insertText'] as const) {
        await phone.fill('')
        await phone.focus()
        await page.keyboard[enter](given)
        if (enter === 'insertText') expect(await phone.inputValue()).toBe(given)
        await page.keyboard.press('Enter')
        await says(page, 'alert', 'Only test numbers can be used here.')
      }
    },
  )

  test('a number in brackets is read when it is pasted', async () => {
    const { page } = await site.open(kind, { country: 'KR' })
    await on(page).phone.focus()
    await page.keyboard.insertText('(+82) 10-0000-0000')
    await page.keyboard.press('Enter')
    await on(page).code.waitFor()
    expect(await page.getByText(WHOLE).isVisible()).toBe(true)
  })

  test('a number is of the country that is chosen, but one with a plus', async () => {
    const { page } = await site.open(kind, { country: 'US' })
    await sent(page, `+82 ${number()}`)
    await on(page).change.click()
    await choose(page, 'United Kingdom')
    expect(await on(page).phone.inputValue()).toBe('')
    await sent(page, '07700 900000')
    expect(await page.getByText('+44 7700 900000').isVisible()).toBe(true)
    await page.reload()
    await on(page).change.click()
    expect(await countryIn(page)).toBe('GB')
    expect(await on(page).phone.inputValue()).toBe('07700 900000')
  })

  test('a number is written as people of its country do, wherever the caret is', async () => {
    const { page } = await site.open(kind, { format: 'yes' })
    const { phone } = on(page)
    await phone.focus()
    await page.keyboard.type('0100000')
    expect(await phone.inputValue()).toBe('010-0000')
    for (let left = 0; left < 5; left++) await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('1')
    await page.keyboard.type('2')
    expect(await phone.inputValue()).toBe('010-1200-00')
    await choose(page, 'United States')
    await phone.fill('')
    await page.keyboard.type('415')
    const written = await phone.inputValue()
    for (let left = written.length; left > 0; left--) await page.keyboard.press('Backspace')
    expect(await phone.inputValue()).toBe('')
  })

  test('after a reload it goes on where it was, with nothing sent anew', async () => {
    const { page } = await site.open(kind)
    await sent(page)
    await page.keyboard.type('999999')
    await says(page, 'alert', 'Tries left: 4.')
    await page.reload()
    await on(page).code.waitFor()
    expect(await page.getByText(WHOLE).isVisible()).toBe(true)
    // Nobody was there before.
    expect(await focused(page)).not.toBe('Verification code')
    await on(page).code.fill(RIGHT)
    await says(page, 'status', VERIFIED)
    await page.reload()
    await says(page, 'status', VERIFIED)
  })

  test('offline: it says so, and goes on with the same order', async () => {
    const { page, requests } = await site.open(kind, {}, (page) => page.clock.install())
    await isLoaded(page, requests)
    await page.context().setOffline(true)
    await sendTo(page)
    await until(async () => {
      await page.clock.fastForward(5_000)
      return (await on(page).alert.textContent())?.includes('No answer.')
    }, 'it to be noticed')
    await page.context().setOffline(false)
    // None was ever sent.
    await on(page).again.click()
    await on(page).code.waitFor()
    await page.context().setOffline(true)
    await on(page).code.fill(RIGHT)
    await says(page, 'alert', 'No answer. Check your connection and try again.')
    expect(await on(page).code.inputValue()).toBe(RIGHT)
    await page.context().setOffline(false)
    await on(page).verify.click()
    await says(page, 'status', VERIFIED)
    expect(orders(requests)).toBeGreaterThan(1)
  })

  test('a slow network: it says what it does, nothing is done twice, and waiting can be ended', async () => {
    const answers: Array<() => void> = []
    const { page, requests } = await site.open(kind, {}, (page) =>
      page.route(/\/rpc\/otp\/(issue|verify)$/, async (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        await new Promise<void>((resolve) => answers.push(resolve))
        await route.continue().catch(() => {})
      }),
    )
    await on(page).phone.fill(number())
    await page.keyboard.press('Enter')
    await says(page, 'status', 'Sending a code…')
    await page.keyboard.press('Enter')
    await on(page).send.click({ force: true })
    await until(() => answers.length > 0, 'the order to be on its way')
    expect(orders(requests)).toBe(1)
    await on(page).cancel.click()
    expect(await on(page).phone.isEditable()).toBe(true)
    await on(page).send.click()
    await until(() => answers.length === 2, 'the order to be made again')
    expect(orders(requests)).toBe(2)
    for (const answer of answers.splice(0)) answer()
    await on(page).code.waitFor()
    await page.keyboard.type(RIGHT)
    await says(page, 'status', 'Checking the code…')
    await page.keyboard.press('Enter')
    await until(() => answers.length === 1, 'the code to be sent')
    for (const answer of answers.splice(0)) answer()
    await says(page, 'status', VERIFIED)
    expect(verifications(requests)).toBe(1)
  })

  test('who leaves waits for nothing any more', async () => {
    const { page, requests } = await site.open(kind, {}, messages)
    const given: string[] = []
    page.on('requestfailed', (request) => given.push(request.failure()?.errorText ?? ''))
    await isLoaded(page, requests)
    await page.route('**/rpc/otp/*', () => {})
    await sendTo(page)
    await says(page, 'status', 'Sending a code…')
    await page.evaluate(() => globalThis.leave())
    // An answer is waited for longer than that.
    await until(() => given.length > 0, 'the request to be given up')
    expect(given).toEqual(['net::ERR_ABORTED'])
    expect(await asksForMessages(page)).toEqual([{ transport: ['sms'], isOver: true }])
  })

  test.each(['ltr', 'rtl'] as const)('%s: nothing is wrong for who cannot see it, in any step', async (dir) => {
    const { page } = await site.open(kind, { dir }, (page) => resendAfter(page, 30_000))
    await on(page).send.waitFor()
    await expectAccessible(page, 'the number')
    await sendTo(page, '')
    await says(page, 'alert', 'valid')
    await expectAccessible(page, 'a wrong number')
    await sent(page, number(5))
    await expectAccessible(page, 'the code')
    expect(await describedBy(page, 'Verification code')).toContain('Six digits')
    await page.keyboard.type('123456')
    await says(page, 'alert', 'Tries left: 4.')
    await expectAccessible(page, 'a wrong code')
    // English is read from the left, whatever the page is.
    expect(await directionOf(page, 'alert')).toBe('ltr')
    for (const left of ['3', '2', '1', '0']) {
      await page.keyboard.type('123456')
      await says(page, 'alert', left === '0' ? 'Too many' : `left: ${left}.`)
    }
    await expectAccessible(page, 'locked')
    await on(page).change.click()
    await sent(page)
    await page.keyboard.type(RIGHT)
    await says(page, 'status', VERIFIED)
    await expectAccessible(page, 'verified')
  })

  test.each([['ar', ar] as const, ...(isNightly ? [['he', he] as const, ['fa', fa] as const] : [])])(
    '%s is read from the right, and its numbers from the left',
    async (lang, texts) => {
      const { page, complaints } = await site.open(kind, { lang, dir: 'rtl' })
      const phone = page.getByLabel(texts.phone_number)
      await phone.fill(number())
      expect(await phone.evaluate((field) => getComputedStyle(field).direction)).toBe('ltr')
      await phone.press('Enter')
      const code = page.getByLabel(texts.code)
      await code.waitFor()
      const sentTo = page.getByText(WHOLE)
      expect(await sentTo.evaluate((node) => getComputedStyle(node).direction)).toBe('ltr')
      const lead = texts.sent_to.replace('{number}', WHOLE)
      expect(await sentTo.locator('..').textContent()).toStartWith(lead)
      await page.keyboard.type('123456')
      await says(page, 'alert', texts.MISMATCH.replace('{attemptsRemaining}', '4'))
      expect(await directionOf(page, 'alert')).toBe('rtl')
      await expectAccessible(page, lang)
      const [left, right] = await code.evaluate((field) => {
        const cells = [...(field.parentElement?.children ?? [])].slice(0, 6)
        return [cells[0], cells[5]].map((cell) => cell?.getBoundingClientRect().x ?? 0)
      })
      expect(left).toBeLessThan(right ?? 0)
      await page.keyboard.type(RIGHT)
      await says(page, 'status', texts.verified)
      expect(complaints).toEqual([])
    },
  )

  test('the country is found by typing, with a keyboard only; a pasted number moves it', async () => {
    const { page, complaints } = await site.open(kind)
    const { country, phone } = on(page)
    await country.waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'South Korea' }).and(page.locator('[aria-selected=true]')).waitFor()
    expect(await focused(page)).toBe('Search by country or code')
    await expectAccessible(page, 'the list of countries')
    await page.keyboard.type('nowhere')
    await says(page, 'status', 'No country found.')
    await page.keyboard.press('Escape')
    expect(await focused(page)).toBe('Country: South Korea +82')
    await page.keyboard.press('Enter')
    await page.keyboard.type('+35')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await country.getAttribute('aria-label')).toBe('Country: Albania +355')
    expect(await focused(page)).toBe('Phone number')
    await page.keyboard.insertText('+44 7700 900000')
    expect(await countryIn(page)).toBe('GB')
    await on(page).send.click()
    await page.getByText('We sent a code to +44 7700 900000').waitFor()
    expect(await phone.inputValue()).toBe('+44 7700 900000')
    expect(complaints).toEqual([])
  })

  test('only countries that the key sends to are offered, whose ways to write a number are known', async () => {
    const { page } = await site.open(kind, { country: 'US' }, (page) =>
      page.route('**/rpc/otp/screen', (route) => route.fulfill({ json: { json: { countries: ['KR', 'JP'] } } })),
    )
    await on(page).country.and(page.locator('[value=JP]')).waitFor()
    await on(page).country.click()
    expect(await page.getByRole('option').count()).toBe(2)
    await page.keyboard.press('Escape')
    await on(page).phone.fill('0312345678')
    await until(async () => (await on(page).phone.inputValue()) === '03-1234-5678', 'it to be written as in Japan')
  })

  test('the widget that the service asks for is shown, and its token is sent', async () => {
    const { page, requests } = await site.open(kind, {}, async (page) => {
      const challenge = { vendor: 'turnstile', siteKey: '0x4AAA' }
      await page.route('**/rpc/otp/screen', (route) => route.fulfill({ json: { json: { challenge } } }))
      await page.route('https://challenges.cloudflare.com/**', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: WIDGET }),
      )
      await page.route('**/rpc/otp/issue', async (route) => {
        const { json } = route.request().postDataJSON() ?? {}
        if (route.request().method() !== 'POST' || json.challenge === 'token-of-0x4AAA') return route.continue()
        const data = { param: 'challenge', reason: 'challenge_required' }
        const error = { defined: true, code: 'FORBIDDEN', status: 403, message: 'no', data }
        return route.fulfill({ status: 403, headers: { 'access-control-allow-origin': '*' }, json: { json: error } })
      })
    })
    await sendTo(page)
    await says(page, 'alert', 'Please confirm that you are human.')
    expect(await on(page).phone.getAttribute('aria-invalid')).toBe('false')
    await page.getByRole('button', { name: 'I am human' }).click()
    await on(page).code.waitFor()
    expect(orders(requests)).toBe(2)
  })

  test('another way is offered where the page has one, and a line about costs', async () => {
    const { page } = await site.open(kind, { channels: 'sms alimtalk', consent: '' })
    await page.getByText('Message and data rates may apply.').waitFor()
    const asking = () =>
      page.waitForRequest((request) => request.url().endsWith('/rpc/otp/issue') && request.method() === 'POST')
    const channelOf = async (request: ReturnType<typeof asking>) => (await request).postDataJSON().json.channel
    let request = asking()
    await sent(page)
    expect(await channelOf(request)).toBe('sms')
    for (const [name, channel] of [
      ['Send it by KakaoTalk', 'alimtalk'],
      ['Send it by text message', 'sms'],
    ] as const) {
      request = asking()
      await page.getByRole('button', { name }).click()
      expect(await channelOf(request)).toBe(channel)
    }
  })

  test('a dark theme is dark on a light page, and can be read', async () => {
    const { page } = await site.open(kind, { theme: 'dark', preset: 'card round' })
    const form = page.locator('[data-part~=screen]')
    const background = () => form.evaluate((node) => getComputedStyle(node).backgroundColor)
    await until(async () => (await background()) === 'rgb(19, 20, 25)', 'its background')
    await expectAccessible(page, 'dark')
  })

  test('each digit stands in its box, in one field, however narrow the page is; a message moves nothing', async () => {
    const { page } = await site.open(kind, { preset: 'card' }, (page) =>
      page.setViewportSize({ width: 320, height: 640 }),
    )
    await sent(page)
    await page.keyboard.type('12345')
    const { boxes, caret } = await on(page).code.evaluate((field: HTMLInputElement) => {
      const cells = [...(field.parentElement?.children ?? [])].slice(0, 6)
      const style = getComputedStyle(field)
      const [first, second] = cells.map((cell) => cell.getBoundingClientRect())
      const context = Object.assign(document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D, {
        font: style.font,
      })
      const digit = context.measureText('0').width
      return {
        boxes: cells.map((cell) => cell.hasAttribute('data-here')),
        caret: digit + Number.parseFloat(style.letterSpacing) - ((second?.x ?? 0) - (first?.x ?? 0)),
      }
    })
    expect(boxes).toEqual([false, false, false, false, false, true])
    expect(Math.abs(caret)).toBeLessThan(0.5)
    expect(await on(page).code.evaluate((field) => field.scrollLeft)).toBe(0)
    expect(await page.getByRole('textbox').count()).toBe(1)
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(await overflow()).toBe(0)
    await page.setViewportSize({ width: 360, height: 640 })
    const topOf = async () => (await on(page).verify.boundingBox())?.y
    const before = await topOf()
    await page.keyboard.type('9')
    await says(page, 'alert', 'Tries left: 4.')
    // The message has a place of its own.
    expect([await topOf(), await overflow()]).toEqual([before, 0])
  })

  test('a wrong code shakes the boxes, but not for who asked for less motion', async () => {
    const { page } = await site.open(kind, {}, (page) =>
      page.addInitScript(() => {
        globalThis.shaken = 0
        const { animate } = Element.prototype
        Element.prototype.animate = function (...given) {
          globalThis.shaken++
          return animate.apply(this, given)
        }
      }),
    )
    await sent(page)
    const shaken = () => page.evaluate(() => globalThis.shaken)
    await page.keyboard.type('999999')
    await says(page, 'alert', 'Tries left: 4.')
    expect(await shaken()).toBe(0)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.keyboard.type('999998')
    await says(page, 'alert', 'Tries left: 3.')
    expect(await shaken()).toBe(1)
  })

  test('a message that the browser reads is typed for the person', async () => {
    const { page } = await site.open(kind, {}, messages)
    await sent(page)
    expect(await asksForMessages(page)).toEqual([{ transport: ['sms'], isOver: false }])
    await page.evaluate((code) => globalThis.message(code), RIGHT)
    await says(page, 'status', VERIFIED)
    expect(await asksForMessages(page)).toEqual([{ transport: ['sms'], isOver: true }])
  })

  test('a message that comes before the answer is not lost; nobody waits for one that cannot come', async () => {
    let answer = () => {}
    const { page } = await site.open(kind, {}, async (page) => {
      await messages(page)
      await page.route('**/rpc/otp/issue', async (route) => {
        await new Promise<void>((resolve) => {
          answer = resolve
        })
        await route.continue()
      })
    })
    await sendTo(page)
    await says(page, 'status', 'Sending a code…')
    await page.evaluate(() => globalThis.message('999999'))
    await until(async () => {
      answer()
      return on(page).code.isVisible()
    }, 'the answer')
    await says(page, 'alert', 'Tries left: 4.')
    await on(page).change.click()
    await on(page).phone.waitFor()
    expect(await asksForMessages(page)).toEqual([{ transport: ['sms'], isOver: true }])
  })

  test('a browser that may not read messages does as one that cannot', async () => {
    const { page, complaints } = await site.open(kind, {}, (page) =>
      page.addInitScript(() => {
        Object.assign(globalThis, { OTPCredential: class {} })
        navigator.credentials.get = () => Promise.reject(new DOMException('no', 'NotAllowedError'))
      }),
    )
    await sent(page)
    await page.keyboard.type(RIGHT)
    await says(page, 'status', VERIFIED)
    expect(complaints).toEqual([])
  })
})

describe('the element', () => {
  test('goes on where it was when it is moved, and begins anew with another key', async () => {
    const { page, requests } = await site.open('element')
    await sent(page)
    await page.evaluate(() => document.querySelector('h1')?.after(document.querySelector('watchword-verify') ?? ''))
    expect(await on(page).code.isVisible()).toBe(true)
    expect(orders(requests)).toBe(1)
    await page.evaluate(() => document.querySelector('watchword-verify')?.setAttribute('purpose', 'login'))
    await on(page).send.waitFor()
    await sent(page)
    await on(page).code.fill(RIGHT)
    await says(page, 'status', VERIFIED)
  })

  test.each([
    ['ko-KR', '인증번호 받기'],
    ['ja', '確認コードを送信'],
    ['zh-Hant', '取得驗證碼'],
    ['zh-SG', '获取验证码'],
    ['no', 'Send kode'],
    ['pt-BR', 'Enviar código'],
    ['es-MX', 'Enviar código'],
    ['de_AT', 'Code senden'],
    ['fr', 'Envoyer le code'],
  ])('speaks %s', async (lang, send) => {
    const { page } = await site.open('element', { lang })
    await page.getByRole('button', { name: send }).waitFor()
    await page.evaluate(() => document.querySelector('watchword-verify')?.setAttribute('lang', 'en'))
    await on(page).send.waitFor()
  })

  test('says what the page says instead, and offers the countries it names', async () => {
    const { page } = await site.open('element', { countries: 'KR JP', country: 'JP' })
    await on(page).country.waitFor()
    expect(await countryIn(page)).toBe('JP')
    await on(page).country.click()
    expect(await page.getByRole('option').allTextContents()).toEqual(
      [/Japan\+81$/, /South Korea\+82$/].map((name) => expect.stringMatching(name)),
    )
    await page.keyboard.press('Escape')
    await page.evaluate(() => {
      const screen = document.querySelector('watchword-verify')
      if (screen) Object.assign(screen, { texts: { send: 'Text me' } })
    })
    await page.getByRole('button', { name: 'Text me' }).waitFor()
  })

  test('talks to the backend of the page, which says no in the words of Watchword', async () => {
    const { page } = await site.open('element', { action: '/api/' }, async (page) => {
      await page.route('**/api/issue', async (route) => {
        const { phoneNumber, idempotencyKey } = route.request().postDataJSON()
        if (idempotencyKey === undefined) return route.fulfill({ status: 400, json: {} })
        if (phoneNumber !== WHOLE)
          return route.fulfill({ status: 400, json: { code: 'BAD_REQUEST', data: { reason: 'country_closed' } } })
        const queuedAt = new Date().toISOString()
        await route.fulfill({ json: { queuedAt, expiresAt: new Date(Date.now() + 60_000).toISOString() } })
      })
      await page.route('**/api/verify', (route) =>
        route.fulfill({ json: { verified: route.request().postDataJSON().code === RIGHT } }),
      )
    })
    await sendTo(page, '010')
    await says(page, 'alert', 'We cannot send codes to this country.')
    await sent(page)
    await page.keyboard.type(RIGHT)
    await says(page, 'status', VERIFIED)
  })

  test('is reset with the form around it, and keeps nothing then; it is disabled as any field is', async () => {
    const { page } = await site.open('element')
    await sent(page)
    await page.keyboard.type(RIGHT)
    await says(page, 'status', VERIFIED)
    await page.evaluate(() => document.querySelector('form')?.reset())
    expect(await on(page).phone.inputValue()).toBe('')
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    await page.evaluate(() => document.querySelector('watchword-verify')?.setAttribute('disabled', ''))
    expect(await on(page).phone.isDisabled()).toBe(true)
    expect(await on(page).send.isDisabled()).toBe(true)
  })

  test('that was not told whom to ask says so to whoever wrote the page', async () => {
    const { page, complaints } = await site.open('element')
    await on(page).send.waitFor()
    await page.evaluate(() => document.querySelector('watchword-verify')?.removeAttribute('key'))
    await sendTo(page)
    await says(page, 'alert', 'That does not work at the moment.')
    expect(complaints).toEqual(['<watchword-verify> needs key and url, action or transport'])
  })
})
