/** Configuration as a file: what differs is shown, and taken once. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
// Loaded now: the first request would wait for it, and virtual time would pass.
import '../../src/admin/api'
import { type AdminClient, adminClient } from '../../src/admin/client'
import { configurationOf, type Shown, stepsTo } from '../../src/admin/file/apply'
import { type Configuration, configuration } from '../../src/admin/file/configuration'
import * as administer from '../../src/usecases/administer'
import { HANGS_AFTER_MS } from '../support/until'
import { World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const SCOPES = ['apps', 'carriers', 'templates', 'webhooks', 'relays', 'operators'] as const

let world: World
let client: AdminClient
beforeEach(async () => {
  world = await World.start()
  const scopes = SCOPES.map((noun) => `${noun}:write` as const)
  const { token } = await administer.createAdminToken(world.admin, { name: 'git', scopes })
  client = adminClient({ server: 'http://localhost', token }, (request) =>
    world.run(world.app.fetch(request, '192.0.2.1')),
  )
})
afterEach(() => world.stop())

const FILE: Configuration = configuration.parse({
  carriers: [
    {
      ...{ name: 'main', type: 'solapi', channels: ['sms'] },
      settings: { apiKey: 'k', apiSecret: 'sealed', from: '0212345678' },
    },
  ],
  apps: [
    {
      ...{ name: 'shop', region: 'KR', retentionDays: 90, texts: { localeByCountry: true } },
      protection: { open: ['KR'], tolerance: 1.5 },
      plans: [{ channel: 'sms', legs: [{ channel: 'whatsapp', waitSec: 20 }, { channel: 'sms' }] }],
      templates: [{ templateId: 'welcome', body: 'Your code is #{code}.' }],
      webhooks: [
        { mode: 'live', url: 'https://93.184.216.34/otp', events: ['otp.verified'], headers: { 'X-Api-Key': 's' } },
      ],
      relays: [{ name: 'supa', source: 'supabase', mode: 'live' }],
    },
  ],
  routes: [
    { channel: 'sms', providers: ['main'] },
    { channel: 'sms', app: 'shop', country: 'JP', providers: ['main'] },
  ],
  operators: [{ email: 'ann@example.com', role: 'viewer', apps: ['shop'] }],
})

const [APP] = FILE.apps as [NonNullable<Configuration['apps']>[number]]
const [CARRIER] = FILE.carriers as [NonNullable<Configuration['carriers']>[number]]

const lines = async (wanted: Configuration, prunes = false) =>
  (await stepsTo(client, wanted, prunes)).map(({ sign, what, details }) => [`${sign} ${what}`, ...details].join('; '))

async function apply(wanted: Configuration, prunes = false): Promise<Shown[]> {
  const shown = []
  for (const step of await stepsTo(client, wanted, prunes)) shown.push(...(await step.take()))
  return shown
}

test('an empty installation becomes what the file says, once', async () => {
  expect(await lines(FILE)).toEqual([
    ...['+ carrier main', '+ app shop', '+ template welcome of shop', '+ plan sms of shop'],
    ...['+ webhook live https://93.184.216.34/otp of shop', '+ relay live supa of shop', '+ route sms'],
    ...['+ route sms JP of shop', '+ operator ann@example.com'],
  ])
  expect((await client.apps.list()).apps).toEqual([])
  const shown = await apply(FILE)
  expect(shown.map(({ what }) => what)).toEqual([
    ...['carrier main, reportSecret', 'webhook live https://93.184.216.34/otp of shop, secret'],
    ...['relay live supa of shop, secret', 'operator ann@example.com, url'],
  ])
  expect(await lines(FILE)).toEqual([])
  expect((await client.apps.list()).apps).toMatchObject([{ name: 'shop', region: 'KR', retentionDays: 90 }])
})

test('what the file does not say stays', async () => {
  await apply(FILE)
  expect(await lines({}, true)).toEqual([])
  expect(await lines({ apps: [{ name: 'shop' }] }, true)).toEqual([])
})

test.each<[string, Configuration, string[]]>([
  ['a region', { apps: [{ ...APP, region: 'US' }] }, ['~ app shop; region: "KR" → "US"']],
  ['one rule', { apps: [{ ...APP, protection: { tolerance: 2 } }] }, ['~ app shop; protection.tolerance: 1.5 → 2']],
  [
    'the events of a webhook',
    { apps: [{ ...APP, webhooks: [{ mode: 'live', url: 'https://93.184.216.34/otp', events: ['otp.sent'] }] }] },
    ['~ webhook live https://93.184.216.34/otp of shop; events: ["otp.verified"] → ["otp.sent"]'],
  ],
  [
    'a text',
    { apps: [{ ...APP, templates: [{ templateId: 'welcome', body: '#{code}' }] }] },
    ['~ template welcome of shop; body: "Your code is #{code}." → "#{code}"'],
  ],
  [
    'the legs of a plan',
    { apps: [{ ...APP, plans: [{ channel: 'sms', legs: [{ channel: 'sms' }] }] }] },
    ['~ plan sms of shop; legs: [{"channel":"whatsapp","waitSec":20},{"channel":"sms"}] → [{"channel":"sms"}]'],
  ],
  [
    'a setting of a carrier',
    { carriers: [{ ...CARRIER, settings: { ...CARRIER.settings, from: '0287654321' } }] },
    ['~ carrier main; settings.from: "0212345678" → "0287654321"'],
  ],
  [
    'the role of who is invited',
    { operators: [{ email: 'Ann@example.com', role: 'support' }] },
    ['~ operator ann@example.com; role: "viewer" → "support"'],
  ],
])('%s that differs is shown, changed, and differs no more', async (_, wanted, expected) => {
  await apply(FILE)
  expect(await lines(wanted)).toEqual(expected)
  await apply(wanted)
  expect(await lines(wanted)).toEqual([])
})

test('a stored secret is no difference, and goes along with what is one', async () => {
  await apply(FILE)
  const other = { ...CARRIER, settings: { ...CARRIER.settings, apiSecret: 'another' } }
  expect(await lines({ carriers: [other] })).toEqual([])
  await apply({ carriers: [{ ...other, settings: { ...other.settings, from: '0287654321' } }] })
  expect((await world.store.read.carriers.all())[0]?.config).toMatchObject({ apiSecret: 'another', from: '0287654321' })
})

test('what the sections do not name is removed where that is wanted, in an order that works', async () => {
  await apply(FILE)
  const less = { carriers: [], routes: [], apps: [{ name: 'shop', templates: [], relays: [] }] }
  const removals = [
    ...['- route sms', '- route sms JP of shop', '- relay live supa of shop', '- template welcome of shop'],
    '- carrier main',
  ]
  expect(await lines(less)).toEqual([])
  expect(await lines(less, true)).toEqual(removals)
  await apply(less, true)
  expect(await lines(less, true)).toEqual([])
  await apply({ apps: [] }, true)
  expect((await client.apps.list()).apps).toEqual([])
})

test('what is exported differs in nothing, and has no secret', async () => {
  await apply(FILE)
  const exported = await configurationOf(client)
  expect(JSON.stringify(exported)).not.toContain('sealed')
  expect(exported.carriers?.[0]?.settings).toMatchObject({ apiSecret: 'env:MAIN_APISECRET', from: '0212345678' })
  expect(await lines(configuration.parse(JSON.parse(JSON.stringify(exported))), true)).toEqual([])
})

test('a route of an app that is nowhere says so, and what stands before it is done', async () => {
  const wanted = { carriers: [CARRIER], routes: [{ channel: 'sms' as const, app: 'none', providers: ['main'] }] }
  expect(await apply(wanted).catch(({ message }) => message)).toBe('There is no app called none')
  expect((await world.store.read.carriers.all()).map(({ name }) => name)).toEqual(['main'])
})
