/** `bun run screenshots`: every page of the console, in light, in dark and on a phone, into `dist/screenshots`. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fromSource, newFolder, ROOT, runJson, StubCarrier, until } from '../binary/support'
import { OpenConsole } from './open-console'
import { DESKTOP, PHONE } from './support'

const FOLDER = join(ROOT, 'dist/screenshots')
const ISSUES = 12

const PAGES = [
  '',
  'issues',
  'usage',
  'inbox',
  'try-it',
  'apps',
  'keys',
  'templates',
  'templates/edit?template=otp_default_kr',
  'webhooks',
  'webhooks/edit',
  'wallet',
  'providers',
  'operators',
  'audit',
  'system',
  'account',
]

const LOOKS = {
  light: { colorScheme: 'light', viewport: DESKTOP },
  dark: { colorScheme: 'dark', viewport: DESKTOP },
  phone: { colorScheme: 'light', viewport: PHONE },
} as const

const { path, remove } = newFolder()
const program = fromSource(path, { WATCHWORD_WEBHOOK_ALLOW_HTTP: 'true', WATCHWORD_WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' })
const carrier = new StubCarrier()
const opened = await OpenConsole.start(program)
mkdirSync(FOLDER, { recursive: true })

/** Something to look at: an app with credit, a carrier, keys, a webhook, live and test codes. */
async function furnish(): Promise<string> {
  const { appId } = await opened.rpc('apps/create', { name: 'Shop' })
  await runJson(program, 'provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', carrier.url)
  await opened.rpc('wallet/topUp', { appId, amount: 1_000 })
  const { key } = await opened.rpc('keys/create', { appId, kind: 'sk', mode: 'live' })
  await opened.rpc('keys/create', { appId, kind: 'sk', mode: 'test' })
  const hook = { url: `${carrier.url}/hooks`, events: ['otp.sent', 'otp.verified'], filters: {}, template: '' }
  await opened.rpc('webhooks/add', { appId, mode: 'test', ...hook })
  for (let number = 0; number < ISSUES; number++) {
    const phoneNumber = `010-0000-00${String(number).padStart(2, '0')}`
    await opened.rpc('inbox/tryIt', { appId, phoneNumber, purpose: 'signup' }).catch(() => {})
    const live = await opened.server.issue(key, `010-2345-67${10 + number}`, {
      purpose: number % 3 ? 'login' : 'signup',
    })
    const code = () => carrier.codeFor(`+8210234567${10 + number}`)
    await until(code, `the message of issue ${number}`)
    if (number % 4) await opened.server.verify(key, live.body.issueId, code())
  }
  return appId
}

const appId = await furnish()
const { rows } = await opened.rpc('issues/list', { appId, mode: 'live' })
for (const [look, { colorScheme, viewport }] of Object.entries(LOOKS)) {
  await opened.page.emulateMedia({ colorScheme })
  await opened.page.setViewportSize(viewport)
  for (const page of [...PAGES, `issues/${rows[0].issueId}`]) {
    await opened.go(
      `/${page}${page.includes('?') ? '&' : '?'}mode=${page === 'inbox' || page === 'webhooks' ? 'test' : 'live'}`,
    )
    await opened.page.getByRole('heading', { level: 1 }).waitFor()
    await opened.page.waitForTimeout(700)
    const name = page === '' ? 'overview' : page.replace(/[/?].*/, '') + (page.includes('/') ? '-one' : '')
    await opened.page.screenshot({ path: join(FOLDER, `${name}-${look}.png`), fullPage: true })
  }
}
await opened.stop()
await carrier.stop()
remove()
process.stdout.write(`${FOLDER}\n`)
