/** What an owner decides and does on the Protection page, clicked through in a real browser over a real server. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { newFolder, programIn, runJson, StubCarrier } from '../binary/support'
import { HANGS_AFTER_MS, until } from '../support/until'
import { expectAccessible } from './accessible'
import { OpenConsole } from './open-console'

setDefaultTimeout(HANGS_AFTER_MS)

/** The page looks again every five seconds, and what was refused is stored as often. */
const HOUR_MS = 3_600_000
const GUESSED = '010-1234-5678'

const folder = newFolder()
const program = programIn(folder.path, {
  WATCHWORD_LIMIT_ISSUES_PER_PHONE_10_MIN: '1000',
  WATCHWORD_LIMIT_ISSUES_PER_PHONE_DAY: '1000',
})
const carrier = new StubCarrier()
let opened: OpenConsole
let appId: string
let key: string
let made = 0

beforeAll(async () => {
  appId = (await runJson(program, 'app', 'create', 'Shop')).appId
  await runJson(program, 'provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', carrier.url)
  opened = await OpenConsole.start(program)
  await opened.rpc('wallet/topUp', { appId, amount: 10_000 })
  key = (await opened.rpc('keys/create', { appId, kind: 'sk', mode: 'live' })).key
})

afterAll(async () => {
  await opened?.stop()
  await carrier.stop()
  folder.remove()
})

const issue = (phoneNumber: string, more: object = {}) =>
  opened.server.issue(key, phoneNumber, { purpose: `p${made++}`, ...more })
const ask = async (phoneNumber: string) => (await issue(phoneNumber)).status
const british = (n: number) => `+44 7400 12${3_000 + n}`
const section = (name: string) => opened.page.getByRole('region', { name })
const button = (name: string) => opened.page.getByRole('button', { name, exact: true })
const dialog = () => opened.page.getByRole('dialog')
const told = (what: string) => opened.page.getByRole('alert').filter({ hasText: what }).first().waitFor()
const decide = (protection: object) => opened.rpc('apps/protect', { appId, protection })

/** What only time brings about is written as it would be stored. */
function store(text: string): void {
  const database = new Database(join(folder.path, 'watchword-data/watchword.db'))
  database.run('PRAGMA busy_timeout = 60000')
  database.run(text)
  database.close()
}

/** A rule of the policy. */
async function choose(rule: string, label: string, option: string): Promise<void> {
  await opened.go('/protection/policy')
  await button(`Change the rule: ${rule}`).click()
  await dialog().getByRole('combobox', { name: label }).click()
  await opened.page.getByRole('option', { name: option }).click()
  await dialog().getByRole('button', { name: 'Save' }).click()
  await dialog().waitFor({ state: 'hidden' })
}

describe('wrong codes', () => {
  const WRONG = 'Codes to phones with too many wrong codes'

  test('are only watched where its owner chooses that: a hundred keep nobody waiting, and the phone is counted', async () => {
    await opened.go('/protection/policy')
    await section('Paused and locked now').getByText('No phone is paused or locked.').waitFor()
    await section('Wrong codes').getByText('Blocking').waitFor()
    await choose('Wrong codes', WRONG, 'Watch only: send and report')
    await section('Wrong codes').getByText('Watch only').waitFor()
    for (let code = 0; code < 10; code++) {
      const { status, body } = await issue(GUESSED, { maxAttempts: 10 })
      expect(status).toBe(200)
      await until(() => carrier.codeFor('+821012345678'), 'the message')
      const wrong = carrier.codeFor('+821012345678') === '111111' ? '222222' : '111111'
      for (let n = 0; n < 10; n++) await opened.server.verify(key, body.issueId, wrong)
    }
    expect(await ask(GUESSED)).toBe(200)
    await section('Paused and locked now').getByText('Secret keys: 1 locked.').waitFor()
    await section('Paused and locked now').getByText('Codes are sent to them anyway.').waitFor()
    expect(await opened.page.getByRole('main').textContent()).not.toContain('12345678')
    await choose('Wrong codes', WRONG, 'Block')
    await section('Wrong codes').getByText('Blocking').waitFor()
    expect(await ask(GUESSED)).toBe(429)
  })

  test('have locked a phone that is opened by its number, and another that is not locked is said to be so', async () => {
    await opened.go('/protection/policy')
    const form = section('Unlock a phone')
    await form.getByRole('button', { name: 'Look up' }).click()
    await form.getByText('Enter a number.').waitFor()
    await form.getByLabel('Phone number').fill('010-9999-8888')
    await form.getByRole('button', { name: 'Look up' }).click()
    await form.getByText('+821099998888 is neither locked nor paused.').waitFor()
    await form.getByLabel('Phone number').fill(GUESSED)
    await form.getByRole('button', { name: 'Look up' }).click()
    await form.getByText('Secret keys: locked after 100 wrong codes, until').waitFor()
    await form.getByText('Browser keys: neither locked nor paused.').waitFor()
    await expectAccessible(opened.page, 'opening a phone')
    await form.getByRole('button', { name: 'Unlock: Secret keys' }).click()
    await told('+821012345678 is unlocked.')
    expect(await form.getByLabel('Phone number').inputValue()).toBe('')
    await section('Paused and locked now').getByText('No phone is paused or locked.').waitFor()
    expect(await ask(GUESSED)).toBe(200)
    await opened.go('/audit')
    const entry = opened.page.getByRole('row').filter({ hasText: 'Unlocked a phone' })
    await entry.getByText('Ann').waitFor()
    expect(await opened.page.getByRole('main').textContent()).not.toContain('12345678')
  })
})

describe('a place where rules were against codes', () => {
  const groups = () => section('Grouped by')
  const row = (text: string) => groups().getByRole('row').filter({ hasText: text })

  test.each(['Prefix', 'Country'])('is stopped once asked and sent to with another, by %s', async (group) => {
    await decide({ caps: [{ kind: 'sk', per: 'country', of: 'messages', every: 'hour', max: 2 }] })
    await ask(british(0))
    await ask(british(1))
    for (let n = 0; n < 12; n++) expect(await ask(british(10 + n))).toBe(429)
    await decide({ caps: [] })
    expect(await ask(british(30))).toBe(200)
    await opened.go('/protection')
    await groups().getByRole('radiogroup').getByText(group, { exact: true }).click()
    const place = group === 'Prefix' ? 'United Kingdom (GB), prefix' : 'United Kingdom (GB)'
    await row(place).getByRole('button', { name: 'Block for a day' }).click()
    await dialog().getByRole('radio', { name: 'Every key' }).check()
    await dialog().getByRole('button', { name: 'Block for a day' }).click()
    await row(place).getByText('Blocked').waitFor()
    expect(await ask(british(31))).toBe(429)
    expect(await ask('010-5555-1234')).toBe(200)
    await row(place).getByRole('button', { name: 'Unblock' }).click()
    await row(place).getByRole('button', { name: 'Block for a day' }).waitFor()
    expect(await ask(british(32))).toBe(200)
  })

  test('has what it cost given back in one go, and once', async () => {
    const { balance } = await opened.rpc('wallet/show', { appId })
    // That nobody typed them is known two minutes after they were sent.
    store("UPDATE incidents SET cost = 6 WHERE country = 'GB'")
    await opened.go('/protection')
    const incident = section('Incidents').getByRole('row').filter({ hasText: 'United Kingdom (GB)' })
    const refund = incident.getByRole('button', { name: 'Refund the incident of United Kingdom (GB)' })
    await refund.click()
    await expectAccessible(opened.page, 'refunding an incident')
    await dialog().getByRole('button', { name: 'Refund' }).click()
    await opened.page.getByText('Refunded to the wallet:').waitFor()
    await incident.getByText('refunded').waitFor()
    const after = await opened.rpc('wallet/show', { appId })
    expect(after.balance).toBeGreaterThan(balance)
    await refund.click()
    await dialog().getByRole('button', { name: 'Refund' }).click()
    await opened.page.getByText('Refunded to the wallet: 0 credits for 0 codes.').waitFor()
    expect((await opened.rpc('wallet/show', { appId })).balance).toBe(after.balance)
  })
})

test('all countries but those where codes were typed are closed to secret keys once asked, and opened with another', async () => {
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 24 * HOUR_MS
  for (const [country, verified] of [
    ['KR', 9],
    ['JP', 3],
    ['FR', 0],
  ] as const)
    store(
      `INSERT INTO traffic_hours VALUES ('${appId}', 'sk', '${country}', ${hour}, ${10 + verified}, 10, ${verified}, 10)`,
    )
  await opened.go('/protection/policy')
  const countries = section('Countries')
  await countries
    .getByText('In the last 90 days codes of secret keys were verified in South Korea and Japan.')
    .waitFor()
  await countries.getByText('Codes to France were sent, but none was verified.').waitFor()
  expect(await ask(british(40))).toBe(200)
  await button('Allow only verified countries: secret keys may send to South Korea and Japan only').click()
  await dialog()
    .getByText(/Affected: 1 live key; \d+ codes? to other countries in the last hour\. They went to United Kingdom\./)
    .waitFor()
  await dialog().getByRole('button', { name: 'Allow only verified countries' }).click()
  await told('Secret keys may send to South Korea and Japan only.')
  await countries.getByText('Secret keys may send to South Korea and Japan only.').waitFor()
  expect([await ask(british(41)), await ask('010-5555-4321'), await ask('+81 90 1234 5678')]).toEqual([403, 200, 200])
  await button('Allow all countries again for secret keys').click()
  await countries.getByText('Secret keys may send to every country.').waitFor()
  expect(await ask(british(42))).toBe(200)
})

test.each([360, 1280])(
  'nothing of it has to be scrolled sideways at %p pixels, and nothing is hidden from anybody',
  async (width) => {
    await opened.page.setViewportSize({ width, height: 800 })
    const places = [
      ['', 'Current blocks'],
      ['/policy', 'Paused and locked now'],
    ] as const
    for (const [place, shown] of places) {
      await opened.go(`/protection${place}`)
      await section(shown).waitFor()
      expect(await opened.page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      await expectAccessible(opened.page, `protection${place} at ${width}`)
    }
    // An operator has opened the phone: it has to wait for nothing any more.
    await section('Paused and locked now').getByText('No phone is paused or locked.').waitFor()
    const form = section('Unlock a phone')
    await form.getByLabel('Phone number').fill(GUESSED)
    await form.getByRole('button', { name: 'Look up' }).click()
    await form.getByRole('status').waitFor()
    expect(await opened.page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    await opened.page.setViewportSize({ width: 1280, height: 800 })
  },
)
