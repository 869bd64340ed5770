/** Keys, codes and credit in the console, clicked through in a real browser over a carrier on loopback. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { released } from '../binary/compiled'
import { newFolder, runJson, StubCarrier } from '../binary/support'
import { HANGS_AFTER_MS, until } from '../support/until'
import { callFrom, OpenConsole } from './open-console'
import { openPage } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const LIVE_NUMBER = '+821012345678'

const folder = newFolder()
const program = await released(folder.path)
const carrier = new StubCarrier()
let opened: OpenConsole
let appId: string

beforeAll(async () => {
  appId = (await runJson(program, 'app', 'create', 'Shop')).appId
  await runJson(program, 'provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', carrier.url)
  opened = await OpenConsole.start(program)
})

afterAll(async () => {
  await opened?.stop()
  await carrier.stop()
  folder.remove()
})

const button = (name: string | RegExp) => opened.page.getByRole('button', { name, exact: true })
const inDialog = () => opened.page.getByRole('dialog')
const heading = (name: string) => opened.page.getByRole('heading', { level: 1, name })
const row = (text: string | RegExp) => opened.page.getByRole('row').filter({ hasText: text })
const searched = () => new URL(opened.page.url()).searchParams

/** What stands in the dialog to be copied. */
const shown = async (name: string) => (await inDialog().getByRole('region', { name }).textContent()) ?? ''

/** Runs a command as a shell would, without the shell: its parts are quoted with single quotes only. */
async function runCurl(command: string): Promise<Response> {
  const url = /curl -s (\S+)/.exec(command)?.[1] ?? ''
  const headers = Array.from(command.matchAll(/-H '([^:]+): ([^']*)'/g), ([, name = '', value = '']) => [name, value])
  const body = /-d '([^']*)'/.exec(command)?.[1]
  return fetch(url, { headers: Object.fromEntries(headers), ...(body !== undefined && { method: 'POST', body }) })
}

/** Makes a key in the dialog and answers it, with the command that tries it. */
async function createKey(...choose: string[]): Promise<{ key: string; command: string }> {
  await opened.page.getByRole('button', { name: 'Create key' }).first().click()
  for (const label of choose) await inDialog().getByRole('radio', { name: label }).check()
  await inDialog().getByRole('button', { name: 'Create key' }).click()
  const key = await shown('The key')
  const command = await shown('Try it in a terminal')
  await button('I have stored it').click()
  await inDialog().waitFor({ state: 'hidden' })
  return { key, command }
}

describe('keys', () => {
  test('a key is made, its command works, and once revoked it is answered 401', async () => {
    await opened.go('/keys?mode=test')
    await opened.page.getByText('No test key yet').waitFor()
    const { key, command } = await createKey('On a server: secret key')
    expect(key).toStartWith('sk_test_')
    const issued = await runCurl(command)
    expect(issued.status).toBe(200)
    expect(await issued.json()).toMatchObject({ mode: 'test' })

    const lastFour = key.slice(-4)
    await row(lastFour)
      .getByRole('button', { name: /^Revoke/ })
      .click()
    const revoke = inDialog().getByRole('button', { name: 'Revoke' })
    expect(await revoke.isDisabled()).toBeTrue()
    await inDialog().getByLabel(`Type “${lastFour}” to confirm`).fill(lastFour)
    await revoke.click()
    await row(lastFour).waitFor({ state: 'hidden' })
    expect((await runCurl(command)).status).toBe(401)
    await opened.page.getByLabel('Show revoked and expired keys').check()
    expect(await row(lastFour).textContent()).toContain('Revoked')
  })

  test('rotated, the old key works until the overlap ends', async () => {
    await opened.go('/keys?mode=test')
    const { key, command } = await createKey()
    await row(key.slice(-4))
      .getByRole('button', { name: /^Rotate/ })
      .click()
    await inDialog().getByLabel('The old key stays valid for').selectOption({ label: '1 hour' })
    await inDialog().getByRole('button', { name: 'Rotate' }).click()
    const next = await shown('The key')
    expect(next).not.toBe(key)
    await inDialog().getByText('The old key stays valid until').waitFor()
    await button('I have stored it').click()
    expect((await runCurl(command)).status).toBe(200)
    expect((await runCurl(command.replace(key, next))).status).toBe(200)
  })

  test('a mistake is said beside its field', async () => {
    await opened.go('/keys?mode=test')
    await button('Create key').click()
    await inDialog().getByLabel('Allowed networks').fill('not-a-network')
    await inDialog().getByRole('button', { name: 'Create key' }).click()
    await inDialog().getByText('not a network in CIDR notation: not-a-network').waitFor()
    await inDialog().getByRole('radio', { name: 'In a browser' }).check()
    await inDialog().getByLabel('Allowed origins').fill('https://shop.example.com/path')
    await inDialog().getByRole('button', { name: 'Create key' }).click()
    await inDialog().getByText('must be an exact origin').waitFor()
  })
})

describe('try it', () => {
  test('two clicks lead to a verified code, and the inbox has it', async () => {
    await opened.go('/try-it')
    await button('Issue code').click()
    await button('Verify').click()
    await opened.page.getByText('This is all your app has to do').waitFor()
    await opened.page.getByRole('list', { name: 'Delivery' }).getByText('Delivered').waitFor()

    await opened.go('/inbox')
    const inInbox = row('+821000000000').first()
    await inInbox.getByText('Verified').waitFor()
    expect(await inInbox.textContent()).toContain('000000')
    expect(await inInbox.textContent()).toContain('Success')
  })

  test('says when the code was delivered, and still does once it is verified', async () => {
    await opened.go('/try-it')
    await button('Issue code').click()
    const delivered = opened.page
      .getByRole('list', { name: 'Delivery' })
      .getByRole('listitem')
      .filter({ hasText: 'Delivered' })
    await delivered.locator('time').waitFor()
    await button('Verify').click()
    const note = opened.page.getByRole('alert').filter({ hasText: 'This is all your app has to do' })
    await note.waitFor()
    await opened.page.getByText('Verified', { exact: true }).nth(1).waitFor()
    expect(await delivered.locator('time').count()).toBe(1)
  })

  test('the button that verifies ends where what it says ends', async () => {
    await opened.go('/try-it')
    await button('Issue code').click()
    await button('Verify').click()
    const note = await opened.page.getByRole('alert').filter({ hasText: 'This is all' }).boundingBox()
    const verify = await button('Verify').boundingBox()
    const right = (box: typeof note) => Math.round((box?.x ?? 0) + (box?.width ?? 0))
    expect(right(verify)).toBe(right(note))
  })

  test('a wrong code says how many attempts remain, a refusing scenario that it was meant', async () => {
    await opened.go('/try-it')
    await opened.page.getByLabel('Scenario').selectOption({ label: '05 · Wrong code' })
    await button('Issue code').click()
    await button('Verify').click()
    await opened.page.getByText('4 attempts remain').waitFor()
    await opened.page.getByLabel('Scenario').selectOption({ label: '07 · Insufficient credit' })
    await button('Issue another').click()
    await opened.page.getByText('This scenario simulates the refusal').waitFor()
  })

  test("says why a number of one's own gets no test code, where it is tried and where issues are listed", async () => {
    await opened.go('/try-it')
    await opened.page.getByLabel('Phone number').fill('010-1234-5678')
    await button('Issue code').click()
    await opened.page.getByText('Codes to your own number need a live key.').waitFor()
    await opened.go('/issues?mode=test')
    await opened.page.getByText('A code for your own number is refused and not listed').waitFor()
    await opened.go('/issues?mode=live')
    await heading('Issues').waitFor()
    expect(await opened.page.getByText('is refused and not listed').count()).toBe(0)
  })
})

describe('issues', () => {
  test('are found by purpose, id and status, and the address keeps the filters there and back', async () => {
    const other = await opened.rpc('inbox/tryIt', { appId, phoneNumber: '010-0000-0001', purpose: 'password-reset' })
    await opened.go('/issues?mode=test')
    await row('signup').first().waitFor()
    await opened.page.getByLabel('Search').fill('pass')
    await row('signup').first().waitFor({ state: 'hidden' })
    await row('password-reset').waitFor()
    await opened.page.waitForURL(/search=pass/)
    await opened.page.getByLabel('Verification').selectOption({ label: 'Waiting for the code' })
    await opened.page.waitForURL(/status=issued/)
    await opened.page.getByRole('link', { name: /^password-reset/ }).click()
    await heading('Issue for “password-reset”').waitFor()
    await opened.page.getByRole('link', { name: 'All issues' }).click()
    await row('password-reset').waitFor()
    expect(searched().get('search')).toBe('pass')

    await opened.page.getByLabel('Verification').selectOption({ label: 'Verified' })
    await opened.page.getByText('No issue matches these filters').waitFor()
    await button('Clear filters').click()
    await opened.page.getByLabel('Search').fill(other.issueId)
    await opened.page.getByText('1, all shown').waitFor()
    await opened.page.getByLabel('Search').fill('')
    await opened.page.getByLabel('Delivery').selectOption({ label: 'Not delivered' })
    await row('signup').first().waitFor({ state: 'hidden' })
    // It fails after three seconds, and appears without a reload.
    await row('password-reset').waitFor()
  })

  test('are narrowed by what a row says, kept as a view, sorted, and opened by a click anywhere in the row', async () => {
    const { page } = opened
    await opened.go('/issues?mode=test')
    await row('password-reset').getByRole('link', { name: 'TEST_DELIVERY_FAILED' }).click()
    await row('signup').first().waitFor({ state: 'hidden' })
    await button('Save view').click()
    await page.getByLabel('Name of the view').fill('Refused')
    await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('link', { name: 'All', exact: true }).click()
    await row('signup').first().waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Refused', exact: true }).click()
    await row('signup').first().waitFor({ state: 'hidden' })
    await button('Remove the filter “Error code: TEST_DELIVERY_FAILED”').click()
    const sorted = page.getByRole('columnheader', { name: 'Issued' })
    expect(await sorted.getAttribute('aria-sort')).toBe('descending')
    await sorted.getByRole('button').click()
    await page.waitForURL(/order=oldest/)
    await until(async () => (await sorted.getAttribute('aria-sort')) === 'ascending', 'the oldest to be first')
    const [download] = await Promise.all([page.waitForEvent('download'), button('CSV: Issues').click()])
    const [names, ...lines] = (await Bun.file(await download.path()).text()).replace('\uFEFF', '').split('\r\n')
    expect(names).toStartWith('"issueId","mode","purpose",')
    expect(lines.filter((line) => line.includes(',"password-reset",'))).toHaveLength(1)
    await row('password-reset').click({ position: { x: 400, y: 2 } })
    await heading('Issue for “password-reset”').waitFor()
  })

  test('an address with a filter that does not exist shows all', async () => {
    await opened.go('/issues?mode=test&status=nonsense&from=yesterday')
    await row('signup').first().waitFor()
  })

  test('one that does not exist says so, with the request id', async () => {
    await opened.go('/issues/0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77')
    await opened.page.getByText('No such issue').waitFor()
    await opened.page.getByText('Request id').waitFor()
    opened.complaints.length = 0
  })
})

describe('the wallet', () => {
  test('a top-up pays for a live issue; the ledger has both, and the issue is refunded from its page', async () => {
    await opened.go('/wallet')
    await opened.page.getByText('No entries yet').waitFor()
    await button('Top up').first().click()
    await inDialog().getByRole('button', { name: 'Top up' }).click()
    await inDialog().getByText('A whole number of credits').waitFor()
    await inDialog().getByLabel('Amount in credits').fill('100')
    await inDialog().getByLabel('Reference').fill('=invoice,7')
    await inDialog().getByRole('button', { name: 'Top up' }).click()
    await row('+100').waitFor()

    const { key } = await opened.rpc('keys/create', { appId, kind: 'sk', mode: 'live' })
    const issued = await opened.server.issue(key, LIVE_NUMBER)
    expect(issued.status).toBe(200)
    const { issueId } = issued.body
    await until(() => carrier.codeFor(LIVE_NUMBER), 'the message')
    await until(async () => (await opened.server.call('GET', '/v1/balance', key)).body.balance < 100, 'the charge')
    await opened.server.verify(key, issueId, carrier.codeFor(LIVE_NUMBER) === '111111' ? '222222' : '111111')
    await opened.server.verify(key, issueId, carrier.codeFor(LIVE_NUMBER))
    // Without a reload.
    await row('Message').getByRole('link').click()
    await heading('Issue for “signup”').waitFor()
    const timeline = await opened.page.getByRole('list', { name: 'Timeline' }).getByRole('listitem').allTextContents()
    const order = ['Code issued', 'Attempt 1: main, SMS', 'Charged', 'Wrong code', 'Verified'].map((start) =>
      timeline.findIndex((step) => step.toLowerCase().includes(start.toLowerCase())),
    )
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(order).not.toContain(-1)
    const text = await opened.page.locator('main').textContent()
    expect(text).not.toContain(LIVE_NUMBER.slice(-8))
    expect(text).not.toContain(carrier.codeFor(LIVE_NUMBER))

    await button('Refund').click()
    await inDialog().getByRole('button', { name: 'Refund' }).click()
    await opened.page.getByRole('list', { name: 'Timeline' }).getByText('Refunded').waitFor()
    await button('Refund').waitFor({ state: 'hidden' })
  })

  test('of a caller is found from any page in three clicks, or by keyboard, and the number stays nowhere', async () => {
    const { page } = opened
    await opened.go('/system')
    await heading('System').waitFor()
    let clicks = 0
    const click = async (target: Locator) => {
      clicks++
      await target.click()
    }
    await click(button(/^Find/))
    await inDialog().getByRole('combobox').fill(LIVE_NUMBER)
    await click(page.getByRole('option', { name: 'in issues and keys' }))
    await click(page.getByRole('option', { name: /^signup/ }))
    await heading('Issue for “signup”').waitFor()
    expect(clicks).toBe(3)
    await page.getByRole('region', { name: 'Tell the customer' }).getByText('The code was accepted').waitFor()

    await opened.go('/wallet')
    await heading('Wallet').waitFor()
    await page.keyboard.press('/')
    await inDialog().getByRole('combobox').fill(LIVE_NUMBER)
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: /^signup/ }).waitFor()
    await page.keyboard.press('Enter')
    await heading('Issue for “signup”').waitFor()

    const digits = LIVE_NUMBER.slice(-8)
    const seen = await page.evaluate(() =>
      JSON.stringify([location.href, document.title, { ...localStorage, ...sessionStorage }]),
    )
    const { rows } = await opened.rpc('audit/list', { limit: 20 })
    expect(JSON.stringify(rows)).toContain('issue.search_phone')
    for (const kept of [seen, JSON.stringify(rows), opened.server.stdout]) expect(kept).not.toContain(digits)
    await page.goBack()
    await heading('Wallet').waitFor()
    expect(page.url()).not.toContain(digits)
  })

  test('is filtered, exported without formulas, and clawed back only by name', async () => {
    await opened.go('/wallet')
    await opened.page.getByLabel('Type').selectOption({ label: 'Top-up' })
    await row('Message').waitFor({ state: 'hidden' })
    await opened.page.waitForURL(/type=credit/)
    const download = opened.page.waitForEvent('download')
    await button('CSV: Ledger').click()
    const file = await Bun.file((await (await download).path()) ?? '').text()
    const [header, line, end] = file.split('\r\n')
    expect(header).toBe('"seq","createdAt","entryType","amountDelta","balanceAfter","issueId","reference"')
    expect(line).toEndWith(`,"credit",100,100,,"'=invoice,7"`)
    expect(end).toBe('')

    await button('More').click()
    await opened.page.getByRole('menuitem', { name: 'Claw back' }).click()
    await inDialog().getByLabel('Amount in credits').fill('30')
    await inDialog().getByRole('button', { name: 'Claw back' }).click()
    await inDialog().getByLabel('Type “Shop” to confirm').fill('Shop')
    await inDialog().getByRole('button', { name: 'Claw back' }).click()
    await opened.page.getByText('the balance is 70').waitFor()
    await button('Clear filters').click()
    await row('-30').waitFor()
  })

  test('warns below the alert level', async () => {
    await opened.go('/wallet')
    await button('Overdraft and alert').click()
    await inDialog().getByLabel('Alert level').fill('500')
    await inDialog().getByRole('button', { name: 'Save' }).click()
    await opened.page.getByText('below the alert level of 500').waitFor()
  })
})

describe('whoever may only look', () => {
  test('sees no actions', async () => {
    const { url } = await opened.rpc('operators/invite', { role: 'viewer' })
    const { page } = await openPage(opened.browser, { locale: 'ko-KR' })
    await page.goto(`${opened.server.url}/console/sign-in`)
    const viewer = { name: 'Vera', email: 'vera@example.com', password: 'correct horse battery' }
    const joined = await callFrom(page, 'session/accept', { token: url.split('#')[1], ...viewer })
    expect(joined.status).toBe(200)
    for (const [path, title] of [
      ['/keys?mode=test', 'API 키'],
      ['/wallet', '지갑'],
      ['/try-it', '시험해 보기'],
    ] as const) {
      await page.goto(`${opened.server.url}/console${path}`)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      expect(await page.getByRole('button', { name: /키 만들기|교체|폐기|충전|회수|인증번호 발급/ }).count()).toBe(0)
    }
    await page.context().close()
  })
})

describe('every page', () => {
  test('passes axe in light, and in dark on a phone, and never scrolls sideways', async () => {
    const { rows } = await opened.rpc('issues/list', { appId, mode: 'live' })
    const paths = ['/keys', '/issues', `/issues/${rows[0].issueId}`, '/inbox', '/try-it', '/wallet']
    const found: string[] = []
    for (const path of paths) {
      await opened.go(path)
      await opened.page.getByRole('heading', { level: 1 }).waitFor()
      const loading = opened.page.locator('[aria-busy=true], [role=status][aria-label]')
      await until(async () => (await loading.count()) === 0, 'the page to have loaded')
      for (const [colorScheme, width] of [
        ['light', 1280],
        ['dark', 360],
      ] as const) {
        await opened.page.emulateMedia({ colorScheme })
        await opened.page.setViewportSize({ width, height: 900 })
        found.push(...(await opened.violations()).map((violation) => `${path} ${colorScheme} ${width}: ${violation}`))
        const overflow = await opened.page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        if (overflow > 0) found.push(`${path} at ${width}: ${overflow} too wide`)
      }
    }
    expect(found).toEqual([])
  })

  test('has nothing the browser complains about', () => {
    // Refusals that the tests above ask for are no complaints.
    const refusals = /Failed to load resource: the server responded with a status of 4\d\d/
    expect(opened.complaints.filter((complaint) => !refusals.test(complaint))).toEqual([])
  })
})

describe('the one search', () => {
  test('finds the issue of a caller by the number, in three actions, and it is in no address and no log', async () => {
    const { key } = await opened.rpc('keys/create', { appId, kind: 'sk', mode: 'live' })
    await opened.rpc('wallet/topUp', { appId, amount: 10, reference: 'search' })
    const issued = await opened.server.issue(key, LIVE_NUMBER, { purpose: 'called' })
    await opened.go('/templates')
    await heading('Templates').waitFor()
    const addresses: string[] = []
    opened.page.on('request', (request) => addresses.push(request.url()))
    opened.page.on('framenavigated', (frame) => addresses.push(frame.url()))

    await opened.page.keyboard.press('ControlOrMeta+k')
    await inDialog().getByRole('combobox').fill('010-1234-5678')
    await opened.page.keyboard.press('Enter')
    await inDialog().getByText('called').first().waitFor()
    expect(await opened.violations()).toEqual([])
    await opened.page.keyboard.press('Enter')
    await heading('Issue for “called”').waitFor()
    expect(opened.page.url()).toContain(issued.body.issueId)
    await inDialog().waitFor({ state: 'hidden' })

    const told = JSON.stringify([addresses, opened.server.stdout, opened.server.stderr])
    for (const number of ['12345678', '1234-5678']) expect(told).not.toContain(number)
    expect(addresses.length).toBeGreaterThan(1)
  })

  test('finds pages from the keyboard alone, in either language, but not over a dialog', async () => {
    await opened.go('/templates')
    await heading('Templates').waitFor()
    await opened.page.keyboard.press('/')
    await inDialog().getByRole('combobox').fill('발송사')
    await opened.page.keyboard.press('Enter')
    await heading('Carriers').waitFor()
    await opened.page.keyboard.press('/')
    await inDialog().waitFor()
    await opened.page.keyboard.press('Escape')
    await inDialog().waitFor({ state: 'hidden' })
    await opened.go('/keys')
    await opened.page.getByRole('button', { name: 'Create key' }).first().click()
    await inDialog().waitFor()
    await opened.page.keyboard.press('ControlOrMeta+k')
    expect(await opened.page.getByRole('dialog').count()).toBe(1)
    expect(opened.complaints).toEqual([])
  })
})

test('a figure of all apps asks which app, since the list behind it is of one', async () => {
  const { page } = opened
  await opened.rpc('apps/create', { name: 'Clinic' })
  await opened.go('/?mode=live&app=all')
  const figure = page.getByRole('button', { name: 'Delivered', exact: true })
  await figure.focus()
  await page.keyboard.press('Enter')
  const apps = page.getByRole('menuitem')
  await apps.first().waitFor()
  expect(await opened.violations()).toEqual([])
  expect(await apps.allInnerTexts()).toEqual(['Shop', 'Clinic'])
  await apps.last().click()
  await heading('Issues').waitFor()
  expect(await page.getByRole('combobox', { name: 'App', exact: true }).inputValue()).toBe('Clinic')
  expect(page.url()).toContain('delivery=delivered')
})
