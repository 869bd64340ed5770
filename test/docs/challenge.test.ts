/** The page of docs/abuse.md that proves its visitor human, in a browser, with a widget that plays Turnstile's. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type Browser, chromium } from 'playwright-core'
import * as administer from '../../src/usecases/administer'
import { chromiumPath } from '../binary/support'
import { answered } from '../support/carrier'
import { SUSPECT, suspect } from '../support/suspects'
import { HANGS_AFTER_MS } from '../support/until'
import { World } from '../support/world'
import { blocksOf } from './pages'

setDefaultTimeout(HANGS_AFTER_MS)

const ORIGIN = 'https://shop.example.com'
const VENDOR_URL = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'

/** Renders nothing, and answers at once; its first token is one that expired. */
const WIDGET = `
  let tokens = 0
  window.shown = []
  window.turnstile = {
    render(where, { sitekey, callback }) {
      window.shown.push(sitekey + ' at ' + document.querySelector(where).id)
      queueMicrotask(() => callback(tokens++ === 0 ? 'expired' : 'good'))
      return 'widget'
    },
    remove(widget) { window.shown.push('removed ' + widget) },
  }`

let world: World
let browser: Browser
beforeAll(async () => {
  world = await World.start({
    wrapTransport: (others) => ({
      request: async (request) =>
        request.url === VENDOR_URL
          ? answered(200, { success: new URLSearchParams(request.body).get('response') === 'good' })
          : others.request(request),
    }),
  })
  browser = await chromium.launch({
    executablePath: await chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })
})
afterAll(async () => {
  await browser.close()
  await world.stop()
})

test('a visitor whose code would be refused passes the widget, others never see it', async () => {
  const { appId } = await world.furnish()
  const key = await world.key({ appId, kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] })
  await suspect(world, appId, [{ key, kind: 'pk', origin: ORIGIN }])
  await administer.setChallenge(world.admin, appId, { vendor: 'turnstile', secret: 'secret' })
  const [html] = blocksOf('docs/abuse.md', ['A proof instead']).filter(({ language }) => language === 'html')
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.route('**/*', async (route) => {
    const url = new URL(route.request().url())
    if (url.origin === ORIGIN)
      return route.fulfill({ contentType: 'text/html; charset=utf-8', body: html?.text.replace('pk_…', key) })
    if (url.pathname === '/turnstile/v0/api.js') return route.fulfill({ contentType: 'text/javascript', body: WIDGET })
    const headers = await route.request().allHeaders()
    const {
      status,
      body,
      headers: said,
    } = await world.send(...(['POST', url.pathname, route.request().postData()] as const), {
      headers: { authorization: headers.authorization ?? '', origin: headers.origin ?? '' },
    })
    await route.fulfill({ status, headers: Object.fromEntries(said), body: JSON.stringify(body) })
  })
  await page.goto(ORIGIN)
  const sendCode = (phoneNumber: string) =>
    page.evaluate(
      // biome-ignore lint/suspicious/noExplicitAny: what the page's own script made
      async (phone) => ({ answer: await (window as any).sendCode(phone, 'signup'), shown: (window as any).shown }),
      phoneNumber,
    )
  expect(await sendCode('010-1234-5678')).toEqual({ answer: expect.objectContaining({ mode: 'live' }), shown: [] })
  // The widget is asked once more where its token was too old.
  const look = ['0x4AAA… at proof', 'removed widget']
  expect(await sendCode(SUSPECT)).toEqual({
    answer: expect.objectContaining({ mode: 'live' }),
    shown: [...look, ...look],
  })
  expect(complaints).toEqual([])
  expect(world.sms.requests.map(({ to }) => to).slice(-2)).toEqual(['+821012345678', '+821066666666'])
})
