/** Getting in, being let in, and what each may see: the console's pages in a real browser, from source. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { released } from '../binary/compiled'
import { newFolder, Server } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'
import { expectAccessible, hasLoaded } from './accessible'
import { launch, openPage } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const PASSWORD = 'correct horse battery'
const folder = newFolder()

let server: Server
let browser: Browser
let page: Page
let complaints: string[]

/** The browser complains of every refusal; what matters is that nothing else does. */
const isUnexpected = (complaint: string) => !complaint.startsWith('Failed to load resource')

const go = async (path: string, heading: string) => {
  await page.goto(`${server.url}/console${path}`)
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
}

const signIn = async (email: string, password: string) => {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}

const signOut = async () => {
  await page.getByRole('button', { name: 'Menu of Ann' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

beforeAll(async () => {
  server = await Server.start(await released(folder.path))
  browser = await launch()
  const ann = await openPage(browser)
  page = ann.page
  complaints = ann.complaints
})

afterAll(async () => {
  await browser?.close()
  await server?.stop('SIGKILL')
  folder.remove()
})

// One story: each test goes on where the one before left off.
describe('people of the console', () => {
  test('a link that was cut off says so', async () => {
    await go('/set-up#short', 'Set up Watchword')
    await page.getByText('This link is no longer valid').waitFor()
    await go('/invitation#this-token-was-never-made-by-anybody', 'You are invited')
    await page.getByText('This link is no longer valid').waitFor()
    await expectAccessible(page, 'a used invitation')
    await go('/sign-in', 'Sign in')
    await page.getByText('There is no account yet').waitFor()
  })

  test('the set-up link leads to the overview, and its token goes from the address', async () => {
    await page.goto(JSON.parse(server.stdout.split('\n')[0] ?? '').setUp)
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByText('Enter your name.').waitFor()
    await page.getByText('Use at least 12 characters.').waitFor()
    expect(await page.locator(':focus').getAttribute('autocomplete')).toBe('name')
    await expectAccessible(page, 'set-up with mistakes')
    await page.getByLabel('Your name').fill('Ann')
    await page.getByLabel('E-mail address').fill('ann@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Show password' }).click()
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('text')
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(page.url()).toBe(`${server.url}/console/`)
  })

  test('the first app is made right there', async () => {
    await expectAccessible(page, 'overview without an app')
    await page.getByLabel('Name of the app').fill('shop')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Last 24 hours · Test' }).waitFor()
    await page.getByText('1 of 6 done').first().waitFor()
    await expectAccessible(page, 'overview')
  })

  test('a wrong password is refused, the right one leads back to where one was going', async () => {
    await signOut()
    await page.goto(`${server.url}/console/audit?action=app.create`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn('ann@example.com', 'something else')
    await page.getByText('E-mail address or password is wrong.').waitFor()
    await expectAccessible(page, 'sign-in refused')
    await signIn('Ann@Example.com', PASSWORD)
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    expect(page.url()).toContain('/console/audit?action=app.create')
    await page.getByRole('cell', { name: 'Created an app app.create' }).waitFor()
    expect(await page.getByRole('cell', { name: /session\.open/ }).count()).toBe(0)
  })

  test('a viewer is invited, accepts elsewhere, and finds nothing to change', async () => {
    await go('/operators', 'Operators')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('For whom (optional)').fill('Bob of support')
    await page.getByRole('radio', { name: 'Viewer' }).check()
    await expectAccessible(page, 'inviting')
    await page.getByRole('button', { name: 'Create a link' }).click()
    const link = (await page.getByRole('region', { name: 'Invitation link' }).textContent()) ?? ''
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('button', { name: 'Withdraw the invitation for Bob of support as Viewer by Ann' }).waitFor()

    const bob = await openPage(browser)
    await bob.page.goto(link.trim())
    await bob.page.getByText('Ann invites you').waitFor()
    await expectAccessible(bob.page, 'invitation')
    await bob.page.getByLabel('Your name').fill('Bob')
    await bob.page.getByLabel('E-mail address').fill('ann@example.com')
    await bob.page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await bob.page.keyboard.press('Enter')
    await bob.page.getByText('This address has an account already').waitFor()
    await bob.page.getByLabel('E-mail address').fill('bob@example.com')
    await bob.page.keyboard.press('Enter')
    await bob.page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await bob.page.getByRole('link', { name: 'Audit log' }).count()).toBe(0)

    await bob.page.getByRole('link', { name: 'Operators' }).click()
    await bob.page.getByRole('cell', { name: /bob@example\.com/ }).waitFor()
    for (const name of ['Invite', /^Actions for/, /^Withdraw/])
      expect(await bob.page.getByRole('button', { name }).count()).toBe(0)
    await bob.page.getByRole('link', { name: 'Apps' }).click()
    await bob.page.getByRole('cell', { name: 'shop', exact: true }).waitFor()
    expect(await bob.page.getByRole('button', { name: 'Create app' }).count()).toBe(0)
    expect(bob.complaints.filter(isUnexpected)).toEqual([])

    // The link is used up, and who follows it again is told so.
    await bob.page.goto('about:blank')
    await bob.page.goto(link.trim())
    await bob.page.getByText('This link is no longer valid').waitFor()
  })

  test('a role is changed, an operator removed by name', async () => {
    await page.reload()
    await page.getByRole('button', { name: 'Actions for Bob' }).click()
    await page.getByRole('menuitem', { name: 'Change role' }).click()
    await page.getByRole('radio', { name: 'Support' }).check()
    await page.getByRole('radio', { name: 'Some apps only' }).check()
    await page.getByRole('button', { name: 'Change role' }).click()
    const apps = page.getByRole('combobox', { name: 'Which apps' })
    await page.waitForFunction(() => document.querySelector('[role=dialog] [aria-invalid=true]') !== null)
    await apps.click()
    await page.getByRole('option', { name: 'shop', exact: true }).click()
    await page.keyboard.press('Tab')
    await expectAccessible(page, 'changing a role')
    await page.getByRole('button', { name: 'Change role' }).click()
    await page.getByText('The role of Bob is changed.').waitFor()
    await page.getByRole('cell', { name: 'Support shop' }).waitFor()
    await page.getByRole('button', { name: 'Actions for Bob' }).click()
    await page.getByRole('menuitem', { name: 'Sessions' }).click()
    await page.getByRole('button', { name: /^End the session: .*Linux/ }).click()
    await page.getByText('The session is ended.').waitFor()
    await page.getByText('Not signed in anywhere').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Actions for Bob' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('button', { name: 'Remove' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Type “Bob” to confirm').fill('Bob')
    await page.keyboard.press('Enter')
    await page.getByText('Bob is removed.').waitFor()
    await page.getByRole('button', { name: 'Actions for Bob' }).waitFor({ state: 'detached' })
  })

  test('an authenticator app is set up, asked for, and taken off', async () => {
    await go('/account', 'Account')
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByRole('dialog').getByLabel('Current password').fill('not the password')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('This is not your current password').waitFor()
    await page.getByRole('dialog').getByLabel('Current password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    await expectAccessible(page, 'setting up an authenticator app')
    const secret = (await page.getByRole('region', { name: 'Or enter this secret there' }).textContent()) ?? ''
    /** The code that proved the app is spent: whoever signs in takes the next one. */
    const code = (timestamp = Date.now()) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
    await page.getByLabel('Code the app shows now').fill('000000')
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('This code is wrong or too old').waitFor()
    await page.getByLabel('Code the app shows now').fill(code())
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove' }).waitFor()

    await signOut()
    await signIn('ann@example.com', PASSWORD)
    await page.getByLabel('Code from your authenticator app').waitFor()
    await expectAccessible(page, 'sign-in with a code')
    await page.getByLabel('Code from your authenticator app').fill(code(Date.now() + 30_000))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()

    await go('/account', 'Account')
    await page.getByRole('button', { name: 'Remove' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Current password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Set up' }).waitFor()
  })

  test('a password is changed, and everybody signed out', async () => {
    await page.getByLabel('Current password').fill('something else')
    await page.getByLabel('New password').fill('another long password')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('This is not your current password.').waitFor()
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Your password is changed.').waitFor()
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn('ann@example.com', 'another long password')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  test('the audit log tells all of it, is verified and exported', async () => {
    await go('/audit', 'Audit log')
    for (const action of ['operator.join', 'operator.role', 'operator.remove', 'operator.totp_on', 'operator.password'])
      await page.getByRole('cell', { name: action }).first().waitFor()
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('The log is intact').waitFor()
    const head = (await page.getByRole('region', { name: 'Hash of the newest entry' }).textContent()) ?? ''
    await expectAccessible(page, 'audit')
    const exported = async (format: string) => {
      await page.getByRole('button', { name: 'Export' }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: format }).click(),
      ])
      return readFileSync(await download.path(), 'utf8')
    }
    const entries = JSON.parse(await exported('JSON'))
    expect(entries[0].hash).toBe(head.trim())
    expect(entries.at(-1)).toMatchObject({ seq: 1, action: 'operator.join', detail: { role: 'owner' } })
    const lines = (await exported('CSV')).trim().split('\r\n')
    expect(lines).toHaveLength(entries.length + 1)
    // In the time zone of the list, with its offset.
    for (const { at } of entries) expect(at).toMatch(/[+-]\d\d:\d\d$/)
    expect(lines[1]).toContain(entries[0].at)
    expect(JSON.stringify([entries, lines])).not.toContain(PASSWORD)
  })

  test('commands are shown as the binary is called', async () => {
    await go('/system', 'System')
    await page.getByText('watchword backup', { exact: true }).waitFor()
  })

  test.each([
    ['/apps', 'Apps'],
    ['/operators', 'Operators'],
    ['/system', 'System'],
    ['/account', 'Account'],
  ])('%s is accessible, and fits on a phone in Korean', async (path, heading) => {
    await go(path, heading)
    await page.waitForFunction(hasLoaded)
    await expectAccessible(page, path)
    await page.setViewportSize({ width: 360, height: 700 })
    await page.evaluate(() => localStorage.setItem('watchword.language', 'ko'))
    await page.reload()
    await page.locator('html[lang=ko] h1').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await page.evaluate(() => localStorage.setItem('watchword.language', 'en'))
    await page.setViewportSize({ width: 1280, height: 720 })
  })

  test('no page complains', () => {
    expect(complaints.filter(isUnexpected)).toEqual([])
  })
})
