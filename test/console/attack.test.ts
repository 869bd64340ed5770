/** An attack as its owner sees it, and ends it, in a real browser over a real server: within a minute, with one click. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { newFolder, programIn, runJson, StubCarrier } from '../binary/support'
import { HANGS_AFTER_MS, until } from '../support/until'
import { OpenConsole } from './open-console'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const program = programIn(folder.path)
const carrier = new StubCarrier()
let opened: OpenConsole
let appId: string
let key: string
let made = 0

beforeAll(async () => {
  appId = (await runJson(program, 'app', 'create', 'Shop')).appId
  await runJson(program, 'provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', carrier.url)
  opened = await OpenConsole.start(program)
  await opened.rpc('wallet/topUp', { appId, amount: 1_000 })
  key = (await opened.rpc('keys/create', { appId, kind: 'sk', mode: 'live' })).key
})

afterAll(async () => {
  await opened?.stop()
  await carrier.stop()
  folder.remove()
})

const ask = async (phoneNumber: string) =>
  (await opened.server.issue(key, phoneNumber, { purpose: `p${made++}` })).status
const british = (n: number) => `+44 7400 12${3_000 + n}`
const section = (name: string) => opened.page.getByRole('region', { name })
const incident = () => section('Incidents').getByRole('row').filter({ hasText: 'United Kingdom (GB)' })
const button = (name: string) => opened.page.getByRole('button', { name, exact: true })

describe('an app whose cap is reached', () => {
  test('has it said on the overview within a minute, before everything else', async () => {
    const caps = [{ kind: 'sk', per: 'country', of: 'messages', every: 'hour', max: 2 }]
    await opened.rpc('apps/protect', { appId, protection: { caps } })
    await opened.go('/')
    await opened.rpc('wallet/setAlert', { appId, below: 5_000 })
    await opened.page.getByText('credits are left').waitFor()
    const statuses: number[] = []
    for (let n = 0; n < 14; n++) statuses.push(await ask(british(n)))
    expect(statuses.filter((status) => status === 429)).toHaveLength(12)
    const told = opened.page
      .getByRole('listitem')
      .filter({ hasText: 'Shop: codes to United Kingdom (GB) exceed a cap' })
    await told.waitFor()
    expect(await told.textContent()).toContain('Refused so far: 12.')
    const [first] = await opened.page.getByRole('main').getByRole('listitem').all()
    expect(await first?.textContent()).toContain('Shop: codes to United Kingdom (GB) exceed a cap')
    await told.getByRole('link').click()
    await incident().waitFor()
    expect(await incident().textContent()).toContain('Over a cap')
    await incident().getByText('Refusing').waitFor()
  })

  test('shows what was refused, by hour, country, prefix, network and rule', async () => {
    await opened.go('/protection')
    await opened.page.getByRole('img', { name: 'Chart of Codes that matched a rule: from 0 to 12' }).waitFor()
    const groups = section('Grouped by')
    const row = (text: string | RegExp) => groups.getByRole('row').filter({ hasText: text })
    expect(await row('United Kingdom').getByRole('cell').first().textContent()).toBe('12')
    for (const [group, text] of [
      ['Prefix', /^United Kingdom \(GB\), prefix [0-9a-f]{6}12/],
      ['Rule', /^Over a cap12/],
    ] as const) {
      await groups.getByText(group, { exact: true }).click()
      await row(text).waitFor()
    }
    await groups.getByText('Network', { exact: true }).click()
    await groups.getByText('No data in this period.').waitFor()
    expect(new URL(opened.page.url()).searchParams.get('group')).toBe('network')
    expect(await opened.violations()).toEqual([])
    // Whose numbers they are is nobody's matter.
    expect(await opened.page.getByRole('main').textContent()).not.toContain('7400')
  })

  test('stops the country once asked, for the keys that are chosen, and sends there again with one click', async () => {
    await opened.rpc('apps/protect', { appId, protection: { caps: [] } })
    await opened.go('/protection')
    expect(await ask(british(20))).toBe(200)
    await incident().getByRole('button', { name: 'Block for a day: United Kingdom (GB)' }).click()
    const dialog = opened.page.getByRole('dialog')
    // The incident is of secret keys: those of browsers are not chosen.
    expect(await dialog.getByRole('radio', { name: 'Secret keys' }).isChecked()).toBe(true)
    await dialog.getByText('1 live key, 15 codes in the last hour').first().waitFor()
    expect(await opened.violations()).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await ask(british(20))).toBe(200)
    await incident().getByRole('button', { name: 'Block for a day: United Kingdom (GB)' }).click()
    await dialog.getByRole('radio', { name: 'Browser keys' }).check()
    await dialog.getByRole('button', { name: 'Block for a day' }).click()
    await opened.page.getByText('With browser keys nothing is sent to United Kingdom (GB) for a day.').waitFor()
    expect(await ask(british(20))).toBe(200)
    await incident().getByRole('button', { name: 'Block for a day: United Kingdom (GB)' }).click()
    await dialog.getByRole('button', { name: 'Block for a day' }).click()
    await opened.page.getByText('With secret keys nothing is sent to United Kingdom (GB) for a day.').waitFor()
    await incident().getByText('Blocked: Secret keys').waitFor()
    expect(await ask(british(21))).toBe(429)
    const undo = incident().getByRole('button', { name: 'Unblock United Kingdom (GB)' })
    await section('Current blocks').getByText('United Kingdom (GB) (Secret keys) until').waitFor()
    await undo.click()
    await opened.page.getByText('Codes are sent to United Kingdom (GB) again.').waitFor()
    await undo.waitFor({ state: 'hidden' })
    expect(await ask(british(22))).toBe(200)
  })

  test('ends the incident once asked', async () => {
    await opened.go('/protection')
    await incident().getByRole('button', { name: 'End the incident of United Kingdom (GB)' }).click()
    const dialog = opened.page.getByRole('dialog')
    await dialog.getByText(/^Affected: 1 live key; \d+ codes refused in the last hour\.$/).waitFor()
    const holds = 'Caps, blocks and country lists still apply.'
    const until = 'Secret keys: until .+ conversion rules refuse no codes for United Kingdom \\(GB\\)\\.'
    await dialog.getByText(new RegExp(`^${until} Other keys are not affected. ${holds}$`)).waitFor()
    await dialog.getByRole('button', { name: 'End' }).click()
    await opened.page.getByText(new RegExp(`^The incident is ended. ${until} ${holds}$`)).waitFor()
    await incident().getByText('Ended').waitFor()
    const { reopened } = await opened.rpc('protection/state', { appId })
    expect(reopened).toMatchObject([{ kind: 'sk', country: 'GB' }])
    await section('Exempt after an incident').getByText('United Kingdom (GB) (Secret keys) until').waitFor()
    await section('Exempt after an incident').getByText(`refuse no code. ${holds}`).waitFor()
    expect((await opened.rpc('overview/show', { mode: 'live' })).incidents).toEqual([])
    await opened.go('/')
    await opened.page.getByText('credits are left').waitFor()
    expect(await opened.page.getByText('exceed a cap').count()).toBe(0)
  })
})

describe('the policy', () => {
  const dialog = () => opened.page.getByRole('dialog')
  const open = async (rule: string) => {
    await opened.go('/protection/policy')
    await button(`Change the rule: ${rule}`).click()
    await dialog().waitFor()
  }
  const save = async () => {
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().waitFor({ state: 'hidden' })
  }
  const protection = async () => (await opened.rpc('apps/list')).apps[0].protection

  test('changes what is touched and nothing else, though somebody decides at the same time', async () => {
    await open('Allow list')
    await dialog().getByLabel('Networks of end users').fill('192.0.2.0/24\n2001:db8::/32')
    await opened.rpc('apps/protect', { appId, protection: { closed: ['RU'], trusted: { countries: ['JP'] } } })
    await save()
    await open('Caps')
    await dialog().getByRole('combobox', { name: 'Codes above a cap' }).click()
    await opened.page.getByRole('option', { name: 'Watch only: send and report' }).click()
    await dialog().getByLabel('Scope', { exact: true }).selectOption({ label: 'per prefix' })
    await button('Add a cap').click()
    expect(await button('Add a cap').isDisabled()).toBe(true)
    await dialog().getByRole('textbox', { name: 'Browser keys: messages per prefix per day' }).fill('70')
    await save()
    expect(await protection()).toMatchObject({
      ...{ capping: 'watch', conversion: 'block', closed: ['RU'] },
      caps: [{ kind: 'pk', per: 'prefix', of: 'messages', every: 'day', max: 70 }],
      trusted: { countries: ['JP'], networks: ['192.0.2.0/24', '2001:db8::/32'] },
    })
    await section('Caps').getByText('Browser keys: 70 messages per prefix per day').waitFor()
  })

  test('says beside the field what is not right', async () => {
    await open('Allow list')
    await dialog().getByLabel('Networks of end users').fill('everybody')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().getByText('not a network in CIDR notation: everybody').waitFor()
    await dialog().getByLabel('Networks of end users').fill('')
    await save()
    await open('Caps')
    await dialog().getByRole('button', { name: 'Remove the cap “Browser keys: messages per prefix per day”' }).click()
    await save()
    expect(await protection()).toMatchObject({ caps: [], trusted: { networks: [], countries: ['JP'] } })
  })

  test('says before it is saved how many codes of the last hour a change of countries would have refused', async () => {
    expect(await ask(british(60))).toBe(200)
    await open('Countries')
    const denied = dialog().getByRole('combobox', { name: 'Deny list of countries for all keys' })
    await denied.fill('germ')
    await denied.press('Enter')
    await denied.press('Tab')
    await dialog()
      .getByText(/^Concerns 1 live key, \d+ codes in the last hour. To undo it, change it back here.$/)
      .waitFor()
    await denied.fill('uk')
    await denied.press('Enter')
    await denied.press('Tab')
    await dialog()
      .getByText(/Of these, \d+ codes would have been refused for their country\./)
      .waitFor()
    expect(await opened.violations()).toEqual([])
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    expect(await ask(british(61))).toBe(200)
  })

  test('refuses a text that names no country, and saves none of it', async () => {
    await open('Countries')
    const closed = dialog().getByRole('combobox', { name: 'Deny list of countries for all keys' })
    const button = dialog().getByRole('button', { name: 'Save' })
    await closed.fill('일본')
    await closed.press('Enter')
    await closed.fill('uk')
    await closed.press('Tab')
    await closed.fill('Atlantis')
    await button.click()
    await dialog().getByText('There is no country “Atlantis”. Choose one from the list.').waitFor()
    await closed.and(opened.page.locator(':focus')).waitFor()
    expect((await protection()).closed).toEqual(['RU'])
    await closed.fill('germ')
    await closed.press('Enter')
    await closed.press('Tab')
    await button.click()
    await dialog().waitFor({ state: 'hidden' })
    expect((await protection()).closed).toEqual(['RU', 'JP', 'GB', 'DE'])
    await opened.rpc('apps/protect', { appId, protection: { closed: ['RU'] } })
  })

  test('trusts no phone any more where that is asked for', async () => {
    await runJson(program, 'app', 'protect', appId, '--trust-phone', '010-1234-5678')
    await until(async () => (await protection()).trusted.phones === 1, 'the phone')
    await open('Allow list')
    await dialog().getByText('1 phone is on the allow list.').waitFor()
    expect(await opened.violations()).toEqual([])
    await button('Clear the allow list').click()
    await dialog().getByText('No phone is on the allow list.').waitFor()
    await save()
    expect((await protection()).trusted.phones).toBe(0)
  })
})

test('who may only look is offered nothing to do', async () => {
  await opened.go('/protection')
  await incident().waitFor()
  const { url } = await opened.rpc('operators/invite', { role: 'viewer' })
  const person = { name: 'Vic', email: 'vic@example.com', password: 'correct horse battery' }
  await opened.rpc('session/accept', { token: String(url).split('#')[1], ...person })
  await opened.go('/protection')
  await incident().waitFor()
  expect(await incident().getByRole('button').count()).toBe(0)
  await opened.go('/protection/policy')
  await section('Countries').waitFor()
  expect(await opened.page.getByRole('main').getByRole('button').count()).toBe(0)
})

test('nothing the browser or a screen reader complains about', async () => {
  await opened.go('/protection')
  await incident().waitFor()
  expect(await opened.violations()).toEqual([])
  const refusals = /Failed to load resource: the server responded with a status of 4\d\d/
  expect(opened.complaints.filter((complaint) => !refusals.test(complaint))).toEqual([])
})
