/** A relay in the console, clicked through in a real browser: made, tried, and seen in the list and in the inbox. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { released } from '../binary/compiled'
import { newFolder, runJson } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'
import { OpenConsole } from './open-console'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const program = await released(folder.path)
let opened: OpenConsole

beforeAll(async () => {
  await runJson(program, 'app', 'create', 'Shop')
  opened = await OpenConsole.start(program)
})
afterAll(async () => {
  await opened?.stop()
  folder.remove()
})

let clicks = 0
const click = async (name: string, role: 'button' | 'link' = 'button') => {
  clicks++
  const dialog = opened.page.getByRole('dialog')
  const within = (await dialog.count()) > 0 ? dialog : opened.page
  await within.getByRole(role, { name, exact: true }).first().click()
}
const row = (text: string) => opened.page.getByRole('row').filter({ hasText: text })

test('a relay is made in three clicks; a test of it is in the list and in the inbox, with its code', async () => {
  const { page } = opened
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await opened.go('/relays?mode=test')
  await page.getByText('No test relay yet').waitFor()
  await click('Create relay')
  await page.getByLabel('Name').fill('login')
  await page.getByLabel('Platform').selectOption('plain')
  await click('Create relay')
  const secret = (await page.getByRole('region', { name: 'Secret' }).textContent()) ?? ''
  const url = (await page.getByRole('region', { name: 'URL', exact: true }).textContent()) ?? ''
  await click('Copy: Secret')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
  await page.keyboard.press('Escape')
  expect(await page.getByRole('region', { name: 'Secret' }).isVisible()).toBeTrue()
  await click('I have stored it')
  expect(clicks).toBeLessThanOrEqual(5)
  await row('login').getByText(url).waitFor()
  expect(await page.content()).not.toContain(secret)
  expect(await opened.violations()).toEqual([])

  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const handed = { to: '+821012345678', code: 'VBX53M', text: 'VBX53M is your code', type: 'sign-in' }
  expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(handed) })).status).toBe(200)
  await row('sign-in').waitFor()

  await click('Send a test by login')
  await page.getByLabel('Phone number').fill('010-1234-5678')
  await click('Send a test')
  await page.getByText('The relay took the code').waitFor()
  await click('To the test inbox', 'link')
  await page.getByRole('heading', { level: 1, name: 'Test inbox' }).waitFor()
  await row('VBX53M').getByText('South Korea').waitFor()
  expect(await row('login').count()).toBe(2)
  expect(await page.content()).not.toContain('12345678')
  expect(await opened.violations()).toEqual([])

  await opened.go('/relays?mode=test')
  const sent = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'login' }), hasText: 'sign-in' })
  await sent.getByText('Delivered').waitFor()
  await sent.getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: 'Message of the relay “login”' }).waitFor()
  const main = (await page.locator('main').textContent()) ?? ''
  expect(main).toContain('Code handed over by its platform')
  expect(main).not.toMatch(/VBX53M|Waiting for the code|Wrong codes|Expires/)
  expect(opened.complaints).toEqual([])
})

test('a program with the SDK of Twilio gets its settings in one click', async () => {
  const { page } = opened
  await opened.go('/relays?mode=test')
  await page.getByText('No services yet').waitFor()
  await page.getByLabel('Purpose').fill('signup')
  const before = clicks
  await click('Add purpose')
  await row('signup')
    .getByText(/^VA[0-9a-f]{32}$/)
    .waitFor()
  expect(clicks - before).toBe(1)
  await click('Copy: Service SID, signup')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^VA[0-9a-f]{32}$/)
  expect(await page.getByRole('region', { name: 'Base URL' }).textContent()).toEndWith('/compat/twilio')
  expect(await opened.violations()).toEqual([])
})

test('a review number is added in the row of its app, and signs in by its code', async () => {
  const { page } = opened
  await opened.go('/apps')
  await click('Review numbers of Shop')
  await page.getByText('No review numbers').waitFor()
  await page.getByPlaceholder('App Store').fill('App Store')
  await page.getByPlaceholder('+1 415 555 0132').fill('+82 10-1234-5678')
  await click('Add')
  const added = page.getByRole('dialog').getByRole('row').filter({ hasText: 'App Store' })
  expect(await added.locator('code').textContent()).toMatch(/^\d{6}$/)
  expect(await opened.violations()).toEqual([])
  await click('Remove App Store')
  const question = page.getByRole('dialog', { name: 'Remove App Store' })
  await question.getByText('get a message instead of the fixed code').waitFor()
  await question.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No review numbers').waitFor()
  expect(opened.complaints).toEqual([])
})
