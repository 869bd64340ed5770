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
  (await stepsTo(client, wanted, { prunes })).map(({ sign, what, details }) =>
    [`${sign} ${what}`, ...details].join('; '),
  )

async function apply(wanted: Configuration, prunes = false): Promise<Shown[]> {
  const shown = []
  for (const step of await stepsTo(client, wanted, { prunes })) shown.push(...(await step.take()))
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

test('settings that the file does not name stay', async () => {
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

test('another secret is a difference, which does not show it', async () => {
  await apply(FILE)
  const other = { ...CARRIER, settings: { ...CARRIER.settings, apiSecret: 'another' } }
  expect(await lines({ carriers: [other] })).toEqual(['~ carrier main; settings.apiSecret: differs'])
  await apply({ carriers: [other] })
  expect((await world.store.read.carriers.all())[0]?.config).toMatchObject({ apiSecret: 'another', from: '0212345678' })
  expect(await lines({ carriers: [other] })).toEqual([])
})

test('a value that came by reference is not shown', async () => {
  await apply(FILE)
  const other = { ...CARRIER, settings: { ...CARRIER.settings, from: '0299999999' } }
  const [step] = await stepsTo(client, { carriers: [other] }, { hidden: new Set(['0299999999']) })
  expect(step?.details).toEqual(['settings.from: differs'])
})

test('the address of a carrier, which is stored as a secret, is compared', async () => {
  const carrier = { name: 'own', type: 'http', channels: ['sms' as const], settings: { url: 'https://a.example/send' } }
  await apply({ carriers: [carrier] })
  const moved = { ...carrier, settings: { url: 'https://b.example/send' } }
  expect(await lines({ carriers: [moved] })).toEqual(['~ carrier own; settings.url: differs'])
  await apply({ carriers: [moved] })
  expect((await world.store.read.carriers.all())[0]?.config.url).toBe('https://b.example/send')
})

test('a setting or a field of a template that the file does not name stays', async () => {
  await apply({ carriers: [{ ...CARRIER, settings: { ...CARRIER.settings, pfId: 'KA01PF' } }] })
  await apply({ carriers: [{ ...CARRIER, settings: { ...CARRIER.settings, from: '0287654321' } }] })
  expect((await world.store.read.carriers.all())[0]?.config).toMatchObject({ pfId: 'KA01PF', from: '0287654321' })
  const template = { templateId: 'welcome', body: '#{code}', providerTemplateCode: 'KA01TP', name: 'Welcome' }
  await apply({ apps: [{ name: 'shop', templates: [template] }] })
  const shorter = { apps: [{ name: 'shop', templates: [{ templateId: 'welcome', body: 'It is #{code}' }] }] }
  expect(await lines(shorter)).toEqual(['~ template welcome of shop; body: "#{code}" → "It is #{code}"'])
  await apply(shorter)
  const [{ appId = '' } = {}] = (await client.apps.list()).apps
  expect((await client.templates.list({ appId })).templates.find((one) => !one.isBuiltIn)).toMatchObject({
    ...{ body: 'It is #{code}', providerTemplateCode: 'KA01TP', name: 'Welcome' },
  })
})

test.each<[string, Configuration, string]>([
  ['an app twice', { apps: [{ name: 'shop' }, { name: 'shop' }] }, 'There are two of app shop'],
  ['a carrier twice', { carriers: [CARRIER, CARRIER] }, 'There are two of carrier main'],
  [
    'a route twice',
    {
      carriers: [CARRIER],
      routes: [
        { channel: 'sms', providers: ['main'] },
        { channel: 'sms', providers: ['main'] },
      ],
    },
    'There are two of route sms',
  ],
  ['a type that there is not', { carriers: [{ ...CARRIER, type: 'solapy' }] }, 'no such type: solapy'],
  ['a setting that there is not', { carriers: [{ ...CARRIER, settings: { apikey: 'k' } }] }, 'has no setting apikey'],
  ['a route to nowhere', { routes: [{ channel: 'sms', providers: ['none'] }] }, 'no carrier called none'],
  [
    'a route of no app',
    { carriers: [CARRIER], routes: [{ channel: 'sms', app: 'no', providers: ['main'] }] },
    'called no',
  ],
])('%s is refused before anything is changed', async (_, wanted, says) => {
  expect(await stepsTo(client, wanted).catch(({ message }) => message)).toContain(says)
})

test('two apps of one name are refused: the file could not tell them apart', async () => {
  for (let count = 0; count < 2; count++) await administer.createApp(world.admin, { name: 'shop' })
  expect(await lines({ apps: [{ name: 'shop' }] }).catch(({ message }) => message)).toContain('two of app shop')
  expect(await lines({ apps: [{ name: 'another' }] })).toEqual(['+ app another'])
})

test.each([
  [{ routes: [{ channel: 'sms', contry: 'KR', providers: ['main'] }] }],
  [{ apps: [{ name: 'shop', protection: { tolerence: 1 } }] }],
  [{ apps: [{ name: 'shop', plans: [{ channel: 'sms', legs: [{ channel: 'sms', waitSecs: 5 }] }] }] }],
  [{ apps: [{ name: 'shop', templates: [{ templateId: 'a', body: 'b', providerCode: 'c' }] }] }],
])('a field that is misspelt at any depth is refused: %j', (wanted) => {
  expect(configuration.safeParse(wanted).error?.issues[0]?.code).toBe('unrecognized_keys')
})

test('things that the sections do not name are removed where that is wanted, in an order that works', async () => {
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

test('an export differs in nothing, and has no secret', async () => {
  await apply(FILE)
  const exported = await configurationOf(client)
  expect(JSON.stringify(exported)).not.toContain('sealed')
  expect(exported.carriers?.[0]?.settings).toMatchObject({ apiSecret: 'env:MAIN_APISECRET', from: '0212345678' })
  const filledIn = JSON.stringify(exported).replace('env:MAIN_APISECRET', 'sealed')
  expect(await lines(configuration.parse(JSON.parse(filledIn)), true)).toEqual([])
})
