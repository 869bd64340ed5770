/** What keeps strangers from sending what they like to whom they like, as the console shows and changes it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type Json, newFolder, programIn, runJson } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'
import { callFrom, OpenConsole } from './open-console'
import { chooseOption, openPage } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const SITE = 'https://shop.example.com'

const folder = newFolder()
const program = programIn(folder.path)
let opened: OpenConsole
let appId: string

beforeAll(async () => {
  appId = (await runJson(program, 'app', 'create', 'Shop')).appId
  const body = ['--body', '#{shop} #{city}: #{code}', '--variable', 'shop', '--variable', 'city']
  await runJson(program, 'template', 'set', 'welcome', '--app', appId, '--name', 'Welcome', ...body)
  await runJson(
    program,
    'provider',
    'set',
    'main',
    '--type',
    'http',
    '--channel',
    'sms',
    '--url',
    'http://127.0.0.1:9/',
  )
  opened = await OpenConsole.start(program)
})

afterAll(async () => {
  await opened?.stop()
  folder.remove()
})

const button = (name: string | RegExp) => opened.page.getByRole('button', { name, exact: true })
const inDialog = () => opened.page.getByRole('dialog')
const row = (text: string | RegExp) => opened.page.getByRole('row').filter({ hasText: text })
const keyNamed = async (keyId: string) =>
  (await opened.rpc('keys/list', { appId })).keys.find((key: Json) => key.keyId === keyId)
const audited = async () => (await opened.rpc('audit/list', {})).rows.map(({ action }: Json) => action)

async function makeKey(more: object): Promise<{ keyId: string; key: string; shown: string }> {
  const made = await opened.rpc('keys/create', { appId, kind: 'pk', mode: 'live', allowedOrigins: [SITE], ...more })
  return { ...made, shown: (await keyNamed(made.keyId)).shown }
}

/** There is no credit: what is allowed is answered 402. */
const issueFromSite = async (key: string, more: object) => {
  const issue = { phoneNumber: '+821012345678', purpose: 'signup', idempotencyKey: crypto.randomUUID(), ...more }
  const { status, body } = await opened.server.call('POST', '/v1/issue', key, issue, { origin: SITE })
  return { status, param: body.data?.param }
}

describe('a live public key', () => {
  test('is asked what it may beyond the usual, and gets nothing of it unless that is checked', async () => {
    await opened.go('/keys?mode=test')
    await button('Create key').first().click()
    const asked = inDialog().getByRole('group', { name: 'May also' })
    await inDialog().getByRole('radio', { name: 'In a browser' }).check()
    expect(await asked.count()).toBe(0)
    await inDialog().getByRole('radio', { name: 'Live' }).check()
    await asked.waitFor()
    await inDialog().getByText('Test keys send nothing and are not restricted').waitFor()
    for (const what of ['Set the sender', 'Write any text'])
      expect(await asked.getByRole('checkbox', { name: what }).isChecked()).toBeFalse()
    expect(await opened.violations()).toEqual([])
    await inDialog().getByRole('radio', { name: 'On a server' }).check()
    expect(await asked.count()).toBe(0)

    await inDialog().getByRole('radio', { name: 'In a browser' }).check()
    await inDialog().getByLabel('Allowed origins').fill(SITE)
    await inDialog().getByRole('button', { name: 'Create key' }).click()
    const key = (await inDialog().getByRole('region', { name: 'The key' }).textContent()) ?? ''
    await button('I have stored it').click()
    await row(key.slice(-4)).waitFor()
    expect(await row(key.slice(-4)).textContent()).not.toContain('May set the sender')
    expect(await issueFromSite(key, { from: '15880000' })).toEqual({ status: 403, param: 'from' })
  })

  test('gets what is checked', async () => {
    await opened.go('/keys?mode=live')
    await button('Create key').first().click()
    await inDialog().getByRole('radio', { name: 'In a browser' }).check()
    await inDialog().getByLabel('Allowed origins').fill(SITE)
    await inDialog().getByRole('checkbox', { name: 'Write any text' }).check()
    await inDialog().getByRole('button', { name: 'Create key' }).click()
    const key = (await inDialog().getByRole('region', { name: 'The key' }).textContent()) ?? ''
    await button('I have stored it').click()
    await row(key.slice(-4)).getByText('May write any text').waitFor()
    expect(await row(key.slice(-4)).textContent()).not.toContain('May set the sender')
  })

  test('that may more is flagged with what that means, and needs attention until it is taken back', async () => {
    const other = await makeKey({ allows: ['text'] })
    const { keyId, key, shown } = await makeKey({ allows: ['from', 'text'] })
    const concern = `A live browser key may set the sender and write any text: ${shown}`
    await opened.go('/?mode=test')
    await opened.page.getByText(concern).waitFor()
    await opened.page.getByRole('link', { name: concern }).click()
    await opened.page.waitForURL(/\/keys\?.*mode=live/)
    const flags = row(shown)
    await flags.getByText('May set the sender').hover()
    await opened.page.getByRole('tooltip').getByText('Whoever finds the key can send from every name').waitFor()
    await flags.getByText('May write any text').hover()
    await opened.page.getByRole('tooltip').getByText('Whoever finds the key can put texts').waitFor()
    expect(await issueFromSite(key, { from: '15880000' })).toEqual({ status: 402, param: undefined })

    await button(`Rights of ${shown}`).click()
    await inDialog().getByText('Anybody can read a browser key').waitFor()
    expect(await opened.violations()).toEqual([])
    for (const what of ['Set the sender', 'Write any text']) await inDialog().getByLabel(what).uncheck()
    await inDialog().getByRole('button', { name: 'Save' }).click()
    await inDialog().waitFor({ state: 'hidden' })
    await flags.getByText('May set the sender').waitFor({ state: 'hidden' })
    expect(await keyNamed(keyId)).toMatchObject({ allows: [], isOpen: false })
    expect(await issueFromSite(key, { from: '15880000' })).toEqual({ status: 403, param: 'from' })
    await opened.go('/')
    await opened.page.getByText(`A live browser key may write any text: ${other.shown}`).waitFor()
    expect(await opened.page.getByRole('main').getByText(shown).count()).toBe(0)
    await opened.go('/audit')
    await row('Changed the rights of a key').first().waitFor()
  })

  test('is no concern once it is revoked', async () => {
    const { keyId, shown } = await makeKey({ allows: ['from'] })
    expect(await keyNamed(keyId)).toMatchObject({ allows: ['from'], isOpen: true })
    await opened.rpc('keys/revoke', { keyId })
    expect(await keyNamed(keyId)).toMatchObject({ allows: ['from'], isOpen: false })
    await opened.go('/keys?mode=live')
    await opened.page.getByLabel('Show revoked and expired keys').check()
    await row(shown).getByText('Revoked').waitFor()
    expect(await row(shown).textContent()).not.toContain('May set the sender')
  })

  test('is the only kind whose rights are changed here', async () => {
    const test = await makeKey({ mode: 'test' })
    const secret = await makeKey({ kind: 'sk', allowedOrigins: [] })
    for (const { mode, shown } of [
      { mode: 'test', ...test },
      { mode: 'live', ...secret },
    ]) {
      await opened.go(`/keys?mode=${mode}`)
      await button(`Rotate ${shown}`).waitFor()
      expect(await button(`Rights of ${shown}`).count()).toBe(0)
    }
    const { status, body } = await callFrom(opened.page, 'keys/allow', { keyId: test.keyId, allows: ['from'] })
    expect([status, JSON.parse(body).json.data.reason]).toEqual([400, 'not_a_live_browser_key'])
  })
})

describe('an app', () => {
  const settings = async (name: string) => {
    await button(`Settings of ${name}`).click()
    await inDialog().getByLabel('Name of the app').waitFor()
  }
  const region = () => inDialog().getByRole('combobox', { name: 'Region' })
  const chooseRegion = async (search: string, country: string) => {
    await region().click()
    await opened.page.keyboard.type(search)
    await chooseOption(opened.page, country)
  }
  const save = async () => {
    await inDialog().getByRole('button', { name: 'Save' }).click()
    await inDialog().waitFor({ state: 'hidden' })
  }

  test('sends to another country with browser keys once its owner has opened that', async () => {
    const { key } = await makeKey({ kind: 'pk', allowedOrigins: ['https://shop.example.com'] })
    const request = { phoneNumber: '+81 90 1234 5678', purpose: 'signup', idempotencyKey: 'abroad' }
    const issue = () => opened.server.call('POST', '/v1/issue', key, request, { origin: 'https://shop.example.com' })
    expect((await issue()).status).toBe(403)
    const change = button('Change the rule: Countries')
    const allowed = inDialog().getByRole('combobox', { name: 'Allow list of countries for browser keys' })
    await opened.go('/protection/policy')
    await change.click()
    await allowed.click()
    await opened.page.keyboard.type('Japan')
    await chooseOption(opened.page, 'Japan (JP)')
    await opened.page.keyboard.press('Escape')
    await save()
    expect((await issue()).status).not.toBe(403)
    await change.click()
    await inDialog().getByText('JP', { exact: true }).waitFor()
    await opened.page.keyboard.press('Escape')
  })

  test('gets a region, and from then on numbers without a plus are read as there', async () => {
    const { key } = await makeKey({ kind: 'sk', allowedOrigins: [] })
    const issue = () => opened.server.issue(key, '(415) 555-2671')
    expect((await issue()).status).toBe(400)
    await opened.go('/apps')
    await row('Shop').getByText('Server default: South Korea (KR)').waitFor()
    await settings('Shop')
    expect(await region().inputValue()).toBe('Server default: South Korea (KR)')
    await inDialog().getByText('Numbers with + are read the same everywhere.').waitFor()
    expect(await opened.violations()).toEqual([])
    await chooseRegion('United Sta', 'United States (US)')
    await save()
    await row('Shop').getByText('United States (US)').waitFor()
    // Read, and only too dear.
    expect((await issue()).status).toBe(402)

    await settings('Shop')
    await chooseRegion('Server default', 'Server default')
    await save()
    await row('Shop').getByText('Server default: South Korea (KR)').waitFor()
    expect((await issue()).status).toBe(400)
    await opened.go('/audit')
    await row('Set the region of an app').first().waitFor()
  })

  test('is renamed, but not to nothing, and what is not changed is not written', async () => {
    await opened.go('/apps')
    await settings('Shop')
    await inDialog().getByLabel('Name of the app').fill(' ')
    await inDialog().getByRole('button', { name: 'Save' }).click()
    await inDialog().getByText('Enter a name.').waitFor()
    // The form behind the dialog has a field of the same name.
    expect(await inDialog().locator(':focus').getAttribute('maxlength')).toBe('100')
    await inDialog().getByLabel('Name of the app').fill('Shop of Seoul')
    const before = (await audited()).length
    await save()
    await row('Shop of Seoul').waitFor()
    expect((await audited()).slice(0, -before)).toEqual(['app.rename'])
    await opened.go('/keys')
    expect(await opened.page.getByRole('combobox', { name: 'App', exact: true }).inputValue()).toBe('Shop of Seoul')
    await opened.rpc('apps/rename', { appId, name: 'Shop' })
  })

  test('may have its region from the beginning, chosen among all countries by their name in the language read', async () => {
    const { page } = await openPage(opened.browser, { locale: 'ko-KR' })
    await page.context().addCookies(await opened.page.context().cookies())
    await page.goto(`${opened.server.url}/console/apps`)
    await page.getByLabel('앱 이름').fill('병원')
    await page.getByRole('combobox', { name: '지역' }).click()
    expect(await page.getByRole('option').count()).toBeGreaterThan(200)
    await page.getByRole('option').first().getByText('서버 설정대로: 대한민국 (KR)').waitFor()
    await page.keyboard.type('JP')
    await chooseOption(page, '일본 (JP)')
    await page.getByRole('button', { name: '앱 만들기' }).click()
    await page.getByRole('row').filter({ hasText: '병원' }).getByText('일본 (JP)').waitFor()
    const { apps } = await opened.rpc('apps/list')
    expect(apps.find(({ name }: Json) => name === '병원')).toMatchObject({ region: 'JP' })
    await page.context().close()
  })
})

describe('a pattern', () => {
  test.each([
    ['with lookahead', '(?=a)b', 'not a safe regular expression'],
    ['of 201 characters', 'b'.repeat(201), 'is too long or repeats too much'],
  ])('a new one %s is refused beside its variable while it is written', async (_, pattern, why) => {
    await opened.go('/templates/edit')
    await opened.page.getByLabel('Text of the message').fill('#{shop} #{city}: #{code}')
    await opened.page.getByLabel('Pattern of city').fill(pattern)
    const field = opened.page.getByRole('textbox', { name: 'Pattern of city' })
    const told = opened.page.locator('form').getByText(why)
    await told.waitFor()
    expect(await told.textContent()).toContain('city')
    expect(await field.getAttribute('aria-describedby')).toBe(await told.getAttribute('id'))
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    const other = opened.page.getByRole('textbox', { name: 'Pattern of shop' })
    expect(await other.getAttribute('aria-invalid')).toBeNull()
  })
})

describe('whoever may only look', () => {
  test('is told all of it and can change none of it', async () => {
    const { shown } = await makeKey({ allows: ['text'] })
    const { url } = await opened.rpc('operators/invite', { role: 'viewer' })
    const { page } = await openPage(opened.browser)
    await page.goto(`${opened.server.url}/console/sign-in`)
    const viewer = { name: 'Vera', email: 'vera@example.com', password: 'correct horse battery' }
    await callFrom(page, 'session/accept', { token: url.split('#')[1], ...viewer })
    await page.goto(`${opened.server.url}/console/keys?mode=live&app=${appId}`)
    await page.getByRole('row').filter({ hasText: shown }).getByText('May write any text').waitFor()
    expect(await page.getByRole('button', { name: /^Rights/ }).count()).toBe(0)
    await page.goto(`${opened.server.url}/console/apps`)
    await page.getByText('Server default: South Korea (KR)').waitFor()
    expect(await page.getByRole('button', { name: /^Settings|^Create app/ }).count()).toBe(0)
    await page.context().close()
  })
})

describe('all of it', () => {
  test('has nothing the browser complains about', () => {
    // Refusals that the tests above ask for are no complaints.
    const refusals = /Failed to load resource: the server responded with a status of 4\d\d/
    expect(opened.complaints.filter((complaint) => !refusals.test(complaint))).toEqual([])
  })
})
