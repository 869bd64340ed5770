/** What is said, who is told, who delivers, and how much of it: those pages of the console over the program from source. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { unzipSync } from 'fflate'
import type { Browser, Locator, Page } from 'playwright-core'
import { verifyWebhook, verifyWebhookSignature } from '../../client/webhook'
import { released } from '../binary/compiled'
import { type Json, newFolder, runJson, Server, StubCarrier } from '../binary/support'
import { HANGS_AFTER_MS, until } from '../support/until'
import { LIGHTS } from './accessible'
import { chooseOption, faultsOf, launch, type Opened, openPage, PHONE } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const program = await released(folder.path, {
  WATCHWORD_WEBHOOK_ALLOW_HTTP: 'true',
  WATCHWORD_WEBHOOK_ALLOW_CIDR: '127.0.0.0/8',
})
const carrier = new StubCarrier()
const PERSON = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' }

/** A customer's server; it answers what it is told to. */
const receiver = { status: 200, arrived: [] as { body: string; headers: Headers }[] }
const listening = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    receiver.arrived.push({ body: await request.text(), headers: request.headers })
    return new Response(`answered ${receiver.status}`, { status: receiver.status })
  },
})

let server: Server
let browser: Browser
let cookies: Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>
let appId: string

beforeAll(async () => {
  browser = await launch()
  appId = (await runJson(program, 'app', 'create', 'shop')).appId
  server = await Server.start(program)
  await until(() => /#\S{20}/.test(server.stdout + server.stderr), 'the set-up link')
  const token = /\/console\S*#([\w-]{20,})/.exec(server.stdout + server.stderr)?.[1]
  const { page } = await openPage(browser)
  await page.goto(`${server.url}/console`)
  await rpc(page, 'session/setUp', { token, ...PERSON })
  cookies = await page.context().cookies()
})

afterAll(async () => {
  await browser?.close()
  await server?.stop('SIGKILL')
  await carrier.stop()
  await listening.stop(true)
  folder.remove()
})

afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
  receiver.status = 200
  receiver.arrived = []
})

/** As a page of the console would, with its cookies. */
const rpc = (page: Page, path: string, json?: object): Promise<Json> =>
  page.evaluate(
    async ([path, json]) => {
      const response = await fetch(`/console/rpc/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ json }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${path}: ${text}`)
      return JSON.parse(text).json
    },
    [path, json] as const,
  )

/** A page of the owner's. */
async function open(path: string, options: Parameters<typeof openPage>[1] = {}): Promise<Opened> {
  const opened = await openPage(browser, options)
  await opened.page.context().addCookies(cookies)
  await opened.page.goto(`${server.url}/console${path}`)
  await opened.page.getByRole('heading', { level: 1 }).waitFor()
  return opened
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

test('an open page shows what a command changes, without asking in between', async () => {
  const { page, requests, complaints } = await open('/wallet')
  await page.getByText('No entries yet').or(page.getByText('Available')).first().waitFor()
  const asked = () => requests.filter((url) => url.endsWith('/wallet/show')).length
  await until(() => requests.some((url) => url.endsWith('/live/changes')), 'the page to follow')
  const before = asked()
  await runJson(program, 'credit', 'add', '--app', appId, '--amount', '4321')
  await page.getByText('4,321').first().waitFor()
  // Pages ask once when they begin to follow, once for the change, and once a minute in any case.
  expect(asked() - before).toBeLessThan(4)
  expect(complaints).toEqual([])
})

test('who is on duty is told by a webhook of their own, and tries it, in five clicks', async () => {
  const { page, complaints } = await open('/')
  let clicks = 0
  const click = async (one: Locator) => {
    clicks++
    await one.click()
  }
  await click(page.getByRole('link', { name: 'No open notices' }))
  await click(page.getByRole('button', { name: 'Add a way' }))
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('pager')
  await dialog.getByLabel('Channel').selectOption('webhook')
  await dialog.getByLabel('URL').fill(`http://127.0.0.1:${listening.port}/notices`)
  await click(dialog.getByRole('button', { name: 'Add a way' }))
  const secret = (await dialog.getByText(/^whsec_/).textContent()) ?? ''
  await click(dialog.getByRole('button', { name: 'I have stored it' }))
  await click(button(page, 'Send a test on pager'))
  await page.getByText('The receiver of pager took the test.').waitFor()
  expect(clicks).toBe(5)
  const [{ body, headers } = { body: '', headers: new Headers() }] = receiver.arrived
  await verifyWebhookSignature({ secret, body, headers })
  expect(JSON.parse(body).type).toBe('notice.test')
  expect(await faultsOf(page)).toEqual([])
  expect(complaints).toEqual([])
})

describe('templates', () => {
  test('a template with a variable is previewed while it is written, and saved', async () => {
    const { page, complaints } = await open('/templates')
    await page.getByText('otp_default_kr').waitFor()
    await page.getByRole('link', { name: 'New template' }).click()
    await page.getByLabel('Name').fill('Welcome')
    await page.getByRole('textbox', { name: 'Id', exact: true }).fill('welcome')
    const body = page.getByLabel('Text of the message')
    await body.fill('Hello #{who}')
    await page.getByText('must contain #{code}').first().waitFor()
    await body.fill('#{who}님 #{code}')
    await page.getByLabel('Pattern of who').fill('[a-z]{1,9}')
    const phone = page.getByRole('region', { name: 'Message on a phone' })
    await phone.getByText('who님 123456').waitFor()
    await page.getByText('12 of 90 bytes').first().waitFor()
    await page.getByText('1 × UCS-2').waitFor()
    await page.getByLabel('Sample for who').fill('ANN')
    await page.getByText('does not match the pattern').waitFor()
    await page.getByLabel('Sample for who').fill('ann')
    await phone.getByText('ann님 123456').waitFor()
    await body.fill(`#{who}님 #{code} ${'가'.repeat(45)}`)
    await page.getByText('LMS', { exact: true }).waitFor()
    await page.getByLabel('AlimTalk').check()
    await page.getByLabel('Template code at the AlimTalk provider').fill('KA01')
    await page.getByLabel('DLT entity ID (India)').fill('PE-1201')
    await page.getByText('not written as the server expects').first().waitFor()
    await page.getByLabel('DLT entity ID (India)').fill('1201')
    await page.getByLabel('DLT template ID (India)').fill('1107')
    await page.getByRole('combobox', { name: 'Add a language' }).fill('Hindi')
    await chooseOption(page, 'Hindi')
    const hindi = page.getByLabel('Text in Hindi')
    await hindi.fill('#{who} ')
    await page.getByText('Missing: #{code}').waitFor()
    await button(page, 'Insert #{code} in Hindi').click()
    expect(await hindi.inputValue()).toContain('#{code}')
    await button(page, /^Codes by language/).click()
    await page.getByLabel('DLT template ID (India) of Hindi').fill('1108')
    await page.getByRole('cell', { name: 'ann', exact: true }).waitFor()
    await button(page, 'Save template').click()
    await page.getByText('Template Welcome is saved').waitFor()
    const { templates } = await rpc(page, 'templates/list', { appId })
    expect(templates.find((template: Json) => template.templateId === 'welcome')).toMatchObject({
      name: 'Welcome',
      channelSupport: ['sms', 'alimtalk'],
      providerTemplateCode: 'KA01',
      dlt: { entityId: '1201', templateId: '1107' },
      bodies: { hi: { dlt: { templateId: '1108' } } },
      variables: { who: { required: true, pattern: '[a-z]{1,9}' } },
    })
    await page.getByRole('link', { name: 'Welcome' }).click()
    await page.getByText('Messages in flight keep the text').waitFor()
    await page.getByLabel('Text of the message').fill('#{who}: #{code}')
    await button(page, 'Save new version').click()
    await page.getByText('#{who}: #{code}').waitFor()
    await page.getByRole('link', { name: 'Welcome' }).click()
    await button(page, 'Compare version 1 with the current one').click()
    await page.getByRole('dialog').getByText('#{who}: #{code}').waitFor()
    await button(page, 'Use this version again').click()
    await page.getByText('Version 1 is used again').waitFor()
    const versions = await rpc(page, 'templates/versions', { appId, templateId: 'welcome' })
    expect(versions.versions.map(({ version }: Json) => version)).toEqual([3, 2, 1])
    expect(versions.versions[0].template).toEqual(versions.versions[2].template)
    expect(complaints).toEqual([])
  })
})

describe('webhooks', () => {
  const url = `http://127.0.0.1:${listening.port}/hooks`

  test('an endpoint is added, tested, fails, is sent to again, and is removed', async () => {
    const { page, complaints } = await open('/webhooks?mode=test')
    await page.getByRole('link', { name: 'New endpoint' }).first().click()
    await page.getByLabel('URL').fill(url)
    await page.getByText('Custom JSON').click()
    const template = page.getByLabel('Payload template')
    await template.fill('{"what": {{type}')
    await page.getByText('must be JSON after substitution').waitFor()
    await template.fill('{"what": {{type}}}')
    await page.getByText('"what": "otp.delivered"').waitFor()
    await page.getByText('Unchanged', { exact: true }).click()
    await page.getByText('"status": "delivered"').waitFor()
    await button(page, 'Add a header').click()
    await page.getByLabel('Static headers Name 1').fill('X-Token')
    await page.getByLabel('Static headers Value 1').fill('only-once')
    await button(page, 'Add endpoint').click()
    const secret = (await page.getByRole('region', { name: 'Signing secret' }).textContent()) ?? ''
    expect(secret).toMatch(/^whsec_/)
    await button(page, 'I have stored it').click()
    await page.getByRole('heading', { name: 'Webhook endpoint' }).waitFor()
    await page.getByText('Nothing sent yet').waitFor()

    await sendTest(page, 'otp.verified')
    await page.getByRole('cell', { name: 'Delivered' }).waitFor()
    const [first] = receiver.arrived
    expect(first?.headers.get('x-token')).toBe('only-once')
    expect(await verifyWebhook({ body: first?.body ?? '', headers: first?.headers ?? {}, secret })).toMatchObject({
      type: 'otp.verified',
    })
    expect(await page.content()).not.toContain('only-once')

    receiver.status = 400
    await sendTest(page, 'otp.sent')
    await page.getByRole('cell', { name: 'Failed' }).waitFor()
    await page.getByText('Failing', { exact: true }).waitFor()
    receiver.status = 200
    await page.getByRole('button', { name: /^Details of otp.sent/ }).click()
    const details = page.getByRole('dialog')
    await details.getByText('HTTP 400').waitFor()
    await details.getByText('answered 400').waitFor()
    const asSent = receiver.arrived.at(-1)
    const request = details.getByRole('region', { name: 'Request' })
    expect(await request.getByRole('region', { name: 'Payload' }).textContent()).toBe(asSent?.body ?? '')
    const headers = request.getByRole('region', { name: 'Headers' })
    expect(await headers.textContent()).toContain(`POST ${url}\n`)
    for (const name of ['X-Watchword-Signature', 'X-Watchword-Timestamp', 'webhook-signature', 'User-Agent'])
      expect(await headers.textContent()).toContain(`${name}: ${asSent?.headers.get(name)}\n`)
    expect(await headers.textContent()).toContain('X-Token: (value not shown)')
    await request.getByText('requests are not stored').waitFor()
    await details.getByRole('button', { name: 'Replay' }).click()
    await details.getByText('Attempt 2').waitFor()
    await details.getByText('HTTP 200').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Healthy', { exact: true }).waitFor()
    expect(receiver.arrived).toHaveLength(3)

    await choose(page, 'Disable')
    await page.getByRole('dialog').getByText('cannot be replayed').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Disabled: nothing is sent').waitFor()
    await choose(page, 'Enable')
    await page.getByText('Disabled: nothing is sent').waitFor({ state: 'detached' })
    await choose(page, 'Rotate secret')
    await button(page, 'Create a new secret').click()
    expect(await page.getByRole('region', { name: 'Signing secret' }).textContent()).not.toBe(secret)
    await button(page, 'I have stored it').click()
    await page.getByText('The previous secret is valid until', { exact: true }).waitFor()
    await choose(page, 'Remove')
    await page.getByLabel(/to confirm/).fill(new URL(url).host)
    await button(page, 'Remove').click()
    await page.getByText('No endpoint for test events').waitFor()
    expect(complaints).toEqual([])
  })

  test('all that failed since a time is sent again, and a forbidden address is told of', async () => {
    const { page } = await open('/webhooks?mode=live')
    const settings = { appId, mode: 'live', events: ['otp.sent'], filters: {}, template: '', headers: {} }
    await rpc(page, 'webhooks/add', { ...settings, url: 'http://10.0.0.1/internal' })
    const { endpoint } = await rpc(page, 'webhooks/add', { ...settings, url })
    const { endpointId } = endpoint
    receiver.status = 400
    for (const type of ['otp.sent', 'otp.failed']) await rpc(page, 'webhooks/test', { endpointId, type })
    await page.reload()
    await page.getByText('webhooks may not be sent to the address 10.0.0.1').waitFor()
    await page.getByRole('link', { name: url }).click()
    await page.getByRole('cell', { name: 'Failed' }).nth(1).waitFor()
    receiver.status = 200
    await button(page, 'Replay failed events').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
    await page.getByText('2 events are being replayed').waitFor()
    await page.getByRole('cell', { name: 'Delivered' }).nth(1).waitFor()
    await page.getByRole('radiogroup', { name: 'Status' }).getByText('Failed').click()
    await page.getByText('No delivery has this status').waitFor()
  })

  async function sendTest(page: Page, type: string): Promise<void> {
    await button(page, 'Send a test event').click()
    await page.getByRole('menuitem', { name: type }).click()
    await page.getByText(`A test ${type} event is being sent`).waitFor()
  }

  async function choose(page: Page, action: string): Promise<void> {
    await button(page, 'More').click()
    await page.getByRole('menuitem', { name: action, exact: true }).click()
  }
})

describe('a carrier without a shell', () => {
  const SID = `AC${'0'.repeat(32)}`
  const TOKEN = 'an-auth-token-that-nobody-sees-again'
  /** Twilio, as far as it is asked here. */
  const asked: { authorization: string | null; form: URLSearchParams }[] = []
  const twilio = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const form = new URLSearchParams(await request.text())
      asked.push({ authorization: request.headers.get('authorization'), form })
      return Response.json({ sid: `SM${'0'.repeat(32)}`, status: 'queued' }, { status: 201 })
    },
  })
  afterAll(() => twilio.stop(true))

  test('is added and tested in six clicks, changed without its secret, given a plan, and removed', async () => {
    const { page, complaints } = await open('/providers')
    let clicks = 0
    const click = (name: string, dialog?: string) => {
      clicks++
      const within = dialog === undefined ? page : page.getByRole('dialog', { name: dialog })
      return within.getByRole('button', { name, exact: true }).click()
    }
    await click('Add a carrier')
    await page.getByLabel('Search carriers').fill('twil')
    await button(page, 'NHN SMS, AlimTalk').waitFor({ state: 'detached' })
    await click('Twilio SMS')
    // The first setting has the focus.
    // A dialog gives the focus away a moment after it is there.
    await until(() => isFocused(page.getByLabel('Account SID')), 'the focus in the dialog')
    await page.keyboard.type(SID)
    await page.keyboard.press('Tab')
    await page.keyboard.type(TOKEN)
    await page.getByRole('textbox', { name: 'Sender', exact: true }).fill('+15005550006')
    await page.getByRole('textbox', { name: 'API base', exact: true }).fill(twilio.url.origin)
    await click('Add carrier')
    await page.getByText('The carrier twilio is added').waitFor()
    await page.getByText('/provider-reports/twilio').waitFor()
    await click('Send a test message', 'The carrier twilio is added')
    await page.getByLabel('Phone number').fill('010-1234-5678')
    await page.keyboard.press('Enter')
    await page.getByText('The carrier accepted it').waitFor()
    await click('Done', 'Send a test message by twilio')
    await page.getByText('The carrier accepted it').waitFor({ state: 'detached' })
    await click('Done')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(clicks).toBeLessThanOrEqual(6)
    const authorization = `Basic ${btoa(`${SID}:${TOKEN}`)}`
    expect(asked[0]?.authorization).toBe(authorization)
    expect(asked[0]?.form.get('From')).toBe('+15005550006')

    await button(page, 'Change the carrier twilio').click()
    expect(await page.getByLabel('Account SID').inputValue()).toBe(SID)
    expect(await page.getByLabel('Auth token').inputValue()).toBe('')
    expect(await page.content()).not.toContain(TOKEN)
    await page.getByRole('textbox', { name: 'Sender', exact: true }).fill('Acme')
    await button(page, 'Save').click()
    await page.getByText('The carrier twilio is saved').waitFor()
    await rpc(page, 'carriers/test', { name: 'twilio', to: '010-1234-5678', channel: 'sms' })
    expect(asked[1]?.authorization).toBe(authorization)
    expect(asked[1]?.form.get('From')).toBe('Acme')

    // By keyboard only: new credentials are tried before they are used, and a pause is asked for and ended.
    const press = async (name: string, dialog = false) => {
      await (dialog ? page.getByRole('dialog').getByRole('button', { name, exact: true }) : button(page, name)).focus()
      await page.keyboard.press('Enter')
    }
    await press('Rotate credentials of twilio')
    await page.getByLabel('Auth token').focus()
    await page.keyboard.type('a-new-token')
    await page.getByLabel('Phone number').focus()
    await page.keyboard.type('010-1234-5678')
    await page.keyboard.press('Enter')
    await page.getByText('twilio uses the new credentials').waitFor()
    expect(asked[2]?.authorization).toBe(`Basic ${btoa(`${SID}:a-new-token`)}`)
    await press('Pause the carrier twilio')
    await page.getByText('No other carrier sends SMS').waitFor()
    await press('Pause', true)
    await page.getByText('Paused', { exact: true }).waitFor()
    await press('Resume the carrier twilio')
    await page.getByText('Healthy', { exact: true }).waitFor()

    await button(page, 'Set a delivery plan').click()
    const next = page.getByLabel('Add a channel')
    await next.selectOption('sms')
    await next.selectOption('whatsapp')
    await button(page, 'Move WhatsApp up').click()
    await page.getByLabel('Seconds from WhatsApp to the next channel').fill('8')
    await button(page, 'Set delivery plan').click()
    await page.getByRole('cell', { name: 'WhatsApp (8 s) → SMS' }).waitFor()
    const { apps } = await rpc(page, 'apps/list')
    const legs = [{ channel: 'whatsapp', waitSec: 8 }, { channel: 'sms' }]
    expect(apps[0].plans).toEqual([{ channel: 'sms', legs, resend: 'next' }])
    await button(page, 'Remove the delivery plan sms shop').click()
    await page.getByLabel(/to confirm/).fill('sms shop')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('No delivery plans').waitFor()

    await button(page, 'Remove the carrier twilio').click()
    await page.getByLabel(/to confirm/).fill('twilio')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('No carrier yet').waitFor()
    expect(complaints).toEqual([])
  })

  test('is added and removed by keyboard alone, which gets its place back', async () => {
    const { page, complaints } = await open('/providers')
    const press = async (element: Locator) => {
      await tabTo(page, element)
      await page.keyboard.press('Enter')
    }
    const add = button(page, 'Add a carrier')
    await add.waitFor()
    await press(add)
    await button(page, 'Twilio SMS').waitFor()
    await page.keyboard.type('twil')
    await button(page, 'NHN SMS, AlimTalk').waitFor({ state: 'detached' })
    await press(button(page, 'Twilio SMS'))
    await page.getByText('Account SID').waitFor()
    await page.keyboard.type(SID)
    await page.keyboard.press('Tab')
    await page.keyboard.type(TOKEN)
    for (const [field, value] of [
      ['Sender', '+15005550006'],
      ['API base', twilio.url.origin],
    ] as const) {
      await tabTo(page, page.getByRole('textbox', { name: field, exact: true }))
      await page.keyboard.type(value)
    }
    await page.keyboard.press('Enter')
    await page.getByText('The carrier twilio is added').waitFor()
    const done = button(page, 'Done')
    if (!(await isFocused(done))) await tabTo(page, done)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await until(() => isFocused(add), 'the focus where it was')
    expect((await rpc(page, 'carriers/list')).providers).toMatchObject([{ name: 'twilio' }])
    await press(button(page, 'Remove the carrier twilio'))
    await until(() => isFocused(page.getByLabel(/to confirm/)), 'the focus in the dialog')
    await page.keyboard.type('twilio')
    await page.keyboard.press('Enter')
    await page.getByText('No carrier yet').waitFor()
    expect(complaints).toEqual([])
  })
})

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, element: Locator): Promise<void> {
  const limit = 100
  for (let presses = 0; presses < limit; presses++) {
    await page.keyboard.press('Tab')
    if (await isFocused(element)) return
  }
  throw new Error(`${element} does not get the focus`)
}
const isFocused = (element: Locator) => element.evaluate((found) => found === document.activeElement)

const ANYWHERE = { carrier: '', country: '', channel: '' }

/** What a click saves as a file. */
async function saving(page: Page, click: () => Promise<void>): Promise<{ name: string; bytes: Uint8Array }> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()])
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) }
}

/** The cells of the first sheet of a workbook that are not empty, row by row. */
function cellsOf(workbook: Uint8Array): string[][] {
  const files = unzipSync(workbook)
  const read = (name: string) => new TextDecoder().decode(files[name])
  const texts = [...read('xl/sharedStrings.xml').matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, text = '']) => text)
  return [...read('xl/worksheets/sheet1.xml').matchAll(/<row .*?<\/row>/g)].map(([row]) =>
    [...row.matchAll(/<c ([^>]*)><v>([^<]*)<\/v>/g)].map(([, type = '', value = '']) =>
      type.includes('t="s"') ? (texts[Number(value)] ?? '') : value,
    ),
  )
}

describe('providers and usage', () => {
  test('a carrier is tested, a route is set by keyboard and removed, and the issues are counted', async () => {
    const { page, complaints } = await open('/providers')
    await page.getByText('No carrier yet').waitFor()
    for (const name of ['main', 'backup'])
      await runJson(program, 'provider', 'set', name, '--type', 'http', '--channel', 'sms', '--url', carrier.url)
    await page.getByText('backup', { exact: true }).first().waitFor()

    await button(page, 'Send a test message by main').click()
    await page.getByLabel('Phone number').fill('010-1234-5678')
    await page.keyboard.press('Enter')
    await page.getByText('The carrier accepted it').waitFor()
    expect(carrier.received[0]?.text).toContain('Watchword test message')
    carrier.answer = () => Response.json({ code: 'BAD_NUMBER' }, { status: 400 })
    await button(page, 'Send another').click()
    await page.getByText('The carrier refused it').waitFor()
    await page.getByText('BAD_NUMBER').waitFor()
    carrier.answer = ({ messageId }) => Response.json({ id: messageId })
    await button(page, 'Done').click()

    // What is typed before the countries are there would name none: it waits.
    const listed = Promise.withResolvers<void>()
    await page.route('**/console/rpc/apps/regions', (route) => listed.promise.then(() => route.continue()))
    await button(page, 'Set a route').click()
    const country = page.getByRole('dialog').getByRole('combobox', { name: 'Countries' })
    const chosen = page.locator('.mantine-Pill-label')
    expect(await country.isDisabled()).toBe(true)
    listed.resolve()
    // By name in either language, with Enter or by leaving; by code; and not what names no country.
    for (const [typed, key, code] of [
      ['Austria', 'Enter', 'AT'],
      ['germany', 'Tab', 'DE'],
      ['austr', 'Enter', 'AU'],
      ['오스트리아', 'Enter', 'AT'],
      ['de', 'Enter', 'DE'],
      ['UK', 'Tab', 'GB'],
      ['한국', 'Enter', 'KR'],
    ] as const) {
      await country.fill(typed)
      await page.keyboard.press(key)
      await until(async () => (await chosen.allInnerTexts()).join() === code, `${typed} to be ${code}`)
      await country.focus()
      await page.keyboard.press('Backspace')
    }
    await country.fill('Atlantis')
    await page.getByText('No country matches.').waitFor()
    await page.keyboard.press('Tab')
    await page.getByText('There is no country “Atlantis”').waitFor()
    for (const name of ['Japan (JP)', 'South Korea (KR)']) {
      await country.fill(name.slice(0, 5))
      await chooseOption(page, name)
    }
    await page.keyboard.press('Escape')
    for (const name of ['main', 'backup']) await page.getByLabel('Add a carrier').selectOption(name)
    await button(page, 'Move backup up').focus()
    await page.keyboard.press('Enter')
    await page.getByText('backup is now 1 of 2').waitFor()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Move backup up')
    // By mouse it is dragged down and up again, each time past the middle of the other row.
    const handle = async (name: string) => {
      const { x, y } = (await page.locator(`[data-drag=${name}]`).boundingBox()) ?? { x: 0, y: 0 }
      return { x: x + 4, y: y + 8 }
    }
    for (const [by, place] of [
      [6, 2],
      [-6, 1],
    ] as const) {
      const [from, to] = [await handle('backup'), await handle('main')]
      await page.mouse.move(from.x, from.y)
      await page.mouse.down()
      await page.mouse.move(to.x, to.y + by, { steps: 4 })
      await page.mouse.up()
      await page.getByText(`backup is now ${place} of 2`).waitFor()
    }
    await button(page, 'Set route').click()
    await page.getByRole('cell', { name: 'backup → main' }).nth(1).waitFor()
    const { routes } = await rpc(page, 'carriers/routes')
    const both = ['JP', 'KR'].map((country) => ({ channel: 'sms', country, providers: ['backup', 'main'] }))
    expect(routes).toEqual(both)

    await button(page, 'Check a number').click()
    await page.getByLabel('Phone number').fill('010-1234-5678')
    await page.keyboard.press('Enter')
    await page.getByText('Route South Korea (KR)').waitFor()
    await page.getByRole('dialog').getByText('First', { exact: true }).waitFor()
    expect(page.url()).not.toContain('1234')
    await button(page, 'Done').click()
    await button(page, 'Remove the route sms JP').click()
    await page.getByLabel(/to confirm/).fill('sms JP')
    await button(page, 'Remove').click()
    await page.getByRole('cell', { name: 'Japan (JP)' }).waitFor({ state: 'detached' })

    const { key } = await rpc(page, 'keys/create', { appId, kind: 'sk', mode: 'live' })
    await rpc(page, 'wallet/topUp', { appId, amount: 10 })
    carrier.received.length = 0
    const numbers = ['+821011112222', '+821033334444', '+821055556666']
    for (const number of numbers) {
      const { body } = await server.issue(key, number)
      await until(() => carrier.codeFor(number) !== '', 'the message')
      await server.verify(key, body.issueId, carrier.codeFor(number))
    }
    await page.getByText('3 accepted').waitFor()

    await button(page, 'Remove the route sms KR').click()
    await page.getByLabel(/to confirm/).fill('sms KR')
    await button(page, 'Remove').click()
    await page.getByText('No routes').waitFor()

    // A month's report as a file: three clicks from any page.
    await rpc(page, 'prices/set', { ...ANYWHERE, currency: 'KRW', amount: '9.9', validFrom: '2020-01-01' })
    await page.goto(`${server.url}/console/issues?mode=live`)
    await page.getByRole('link', { name: 'Usage', exact: true }).click()
    await page.getByText('Last 30 days', { exact: true }).click()
    const saved = await saving(page, () => button(page, 'CSV: Sums').click())
    expect(saved.name).toMatch(/^usage-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/)

    // By keyboard alone it is the same file.
    await page.goto(`${server.url}/console/issues?mode=live`)
    await page.getByRole('heading', { level: 1, name: 'Issues' }).waitFor()
    await tabTo(page, page.getByRole('link', { name: 'Usage', exact: true }))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
    await tabTo(page, page.getByRole('radio', { name: 'This month', exact: true }))
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL(/range=30d/)
    await tabTo(page, button(page, 'CSV: Sums'))
    expect(await saving(page, () => page.keyboard.press('Enter'))).toEqual(saved)

    // It says what the procedure says, and so does the workbook.
    const [from, to] = saved.name.match(/\d{4}-\d\d-\d\d/g) ?? []
    const timeZone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone)
    const { rows } = await rpc(page, 'usage/report', {
      ...{ appId, mode: 'live', from, to, timeZone, groupBy: ['app', 'country', 'carrier'] },
    })
    const apps = new Map((await rpc(page, 'apps/list')).apps.map((app: Json) => [app.appId, app.name]))
    const sums = rows.map((row: Json) => [
      ...[apps.get(row.app), row.app, row.country, row.carrier, row.issued, row.sent, row.delivered, row.failed],
      ...[row.verified, row.messages, row.unpriced, row.spent, row.cost[0]?.amount ?? ''],
    ])
    expect(sums.length).toBeGreaterThan(0)
    const text = new TextDecoder().decode(saved.bytes)
    const lines = text.replace('\uFEFF', '').trimEnd().split('\r\n')
    expect(lines.slice(1)).toEqual(
      sums.map((cells: unknown[]) => cells.map((cell) => (Number.isNaN(Number(cell)) ? `"${cell}"` : cell)).join(',')),
    )
    const workbook = await saving(page, () => button(page, 'Excel: Sums').click())
    expect(workbook.name).toBe(saved.name.replace('.csv', '.xlsx'))
    expect(cellsOf(workbook.bytes).slice(1)).toEqual(sums.map((cells: unknown[]) => cells.map(String).filter(Boolean)))

    await page.getByText('KRW 29.7').first().waitFor()
    await page.getByRole('img', { name: 'Chart of Codes: from 0 to 3' }).waitFor()
    await page.getByRole('cell', { name: 'backup' }).waitFor()
    expect(page.url()).toContain('range=30d')
    expect(complaints).toEqual([])
  })
})

test('a carrier of a name that is taken is refused beside the name, because its messages would go elsewhere', async () => {
  await runJson(program, 'provider', 'set', 'taken', '--type', 'http', '--channel', 'sms', '--url', carrier.url)
  const { page } = await open('/providers')
  await page.getByText('taken', { exact: true }).first().waitFor()
  await button(page, 'Add a carrier').click()
  await button(page, /^Any HTTP API/).click()
  const name = page.getByLabel('Name')
  expect(await name.inputValue()).toBe('http')
  await name.fill('taken')
  await page.getByLabel('URL').fill('http://127.0.0.1:9/elsewhere')
  await button(page, 'Add carrier').click()
  await page.getByText('There is a “taken” already').waitFor()
})

describe('every page', () => {
  const PATHS = [
    '/templates?mode=live',
    '/templates/edit?template=welcome&mode=live',
    '/webhooks?mode=live',
    '/webhooks/edit?mode=live',
    '/providers?mode=live',
    '/usage?mode=live',
  ]

  /** Until nothing is loading any more. */
  async function visit(page: Page, path: string): Promise<void> {
    await page.goto(`${server.url}/console${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('.mantine-Skeleton-root, .mantine-Loader-root').first().waitFor({ state: 'detached' })
  }

  /** Half faded in, colours are not what they will be. */
  async function settle(page: Page): Promise<void> {
    await page.evaluate(async () => {
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
      await Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
    })
  }

  test('has no faults that axe would find, light or dark', async () => {
    const { page, complaints } = await open('/webhooks?mode=live')
    const [endpoint] = (await rpc(page, 'webhooks/list', { appId })).endpoints
    await rpc(page, 'carriers/setRoute', { channel: 'sms', providers: ['main'] })
    const look = async (what: string) => {
      for (const colorScheme of LIGHTS) {
        await page.emulateMedia({ colorScheme })
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
        await settle(page)
        expect([what, colorScheme, await faultsOf(page)]).toEqual([what, colorScheme, []])
      }
    }
    for (const path of [...PATHS, `/webhooks/${endpoint.endpointId}?mode=live`]) {
      await visit(page, path)
      await look(path)
    }
    await page
      .getByRole('button', { name: /^Details of/ })
      .first()
      .click()
    await page.getByText('Attempt 1').waitFor()
    await look('a delivery')
    await visit(page, '/usage?mode=live')
    for (const table of await page.getByText('Table', { exact: true }).all()) await table.click()
    await look('tables of usage')
    await visit(page, '/providers')
    await button(page, 'Change the route sms').click()
    await button(page, 'Move main down').waitFor()
    await look('a route')
    await visit(page, '/providers')
    await button(page, 'Add a carrier').click()
    await button(page, 'Twilio SMS').waitFor()
    await look('types of carriers')
    await button(page, 'NHN SMS, AlimTalk').click()
    await page.getByLabel('Sender key').waitFor()
    await look('a new carrier')
    await page.keyboard.press('Escape')
    await button(page, 'Change the carrier main').click()
    await page.getByLabel('Headers').waitFor()
    await look('a carrier')
    await page.keyboard.press('Escape')
    await button(page, 'Set a delivery plan').click()
    for (const channel of ['whatsapp', 'sms', 'voice']) await page.getByLabel('Add a channel').selectOption(channel)
    await look('a delivery plan')
    expect(complaints).toEqual([])
  })

  test('fits a small phone, in Korean', async () => {
    const { page } = await open('/templates', { viewport: { ...PHONE, width: 360 }, locale: 'ko-KR' })
    for (const path of PATHS) {
      await visit(page, path)
      await page.getByRole('heading', { level: 1, name: /[가-힣]/ }).waitFor()
      expect([path, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)]).toEqual([path, 0])
    }
  })
})
