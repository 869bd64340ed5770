/** Asks an installation for all that callers, operators and timers ask of it, about its largest app. */

import * as administer from '../../src/usecases/administer'
import { setUpToken } from '../../src/usecases/people'
import { ConsoleClient } from '../console/client'
import { ROWS, type Things } from '../console/procedures'
import { SMS_URL, START, type World } from '../support/world'
import { LARGEST } from './fill'

const PASSWORD = 'correct horse battery'
const DAY_MS = 86_400_000
const PHONE = '010-1234-5678'

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
const MONTH = { from: dayOf(START - 30 * DAY_MS), to: dayOf(START), timeZone: 'Asia/Seoul' }

/** Questions beside the one that every procedure gets. */
const QUESTIONS: ReadonlyArray<readonly [path: string, input: (of: Things) => object]> = [
  ...[
    { status: 'expired' },
    { status: 'unverified' },
    { status: 'max_attempts' },
    { delivery: 'failed' },
    { channel: 'alimtalk' },
    { leg: 'whatsapp' },
    { country: 'JP' },
    { carrier: 'none' },
    { outcomeCode: 'NONE' },
    { search: 'purpose-3' },
    { search: 'no such purpose' },
    { isOldestFirst: true },
    { from: START - 100 * DAY_MS, to: START - 99 * DAY_MS },
    { hourOfDay: { hour: 3, timeZone: 'Asia/Seoul' }, country: 'JP' },
  ].map((filter) => ['issues/list', ({ appId }: Things) => ({ appId, mode: 'live', ...filter })] as const),
  ...['010-1234-5678', 'order-1', '00000000-0000-7000-8000-000000000000', 'sk_0000'].map(
    (text) => ['issues/find', () => ({ text })] as const,
  ),
  ...['credit', 'debit', 'refund'].map(
    (entryType) => ['wallet/ledger', ({ appId }: Things) => ({ appId, entryType })] as const,
  ),
  ['wallet/ledger', ({ appId }) => ({ appId, to: START - 100 * DAY_MS })],
  ['usage/report', ({ appId }) => ({ ...MONTH, appId, mode: 'live', groupBy: ['day', 'purpose'] })],
  ['usage/report', () => ({ ...MONTH, mode: 'live', groupBy: ['app'] })],
  ['overview/show', ({ appId }) => ({ appId, mode: 'live' })],
  ['overview/show', () => ({ mode: 'test' })],
  ['audit/list', () => ({ search: 'no such target' })],
]

/** `fillEvents` gives an endpoint a past. Answers what failed. */
export async function drive(world: World, fillEvents: (endpointId: string) => Promise<void>): Promise<string[]> {
  const failed: string[] = []
  const { appId, keys, ...of } = await furnish(world, fillEvents)
  const call = async (operation: Parameters<World['call']>[1], input: object | undefined, key = keys.live) => {
    const { status, body } = await world.run(world.call('rest', operation, input, { key }))
    if (status >= 500) failed.push(`${operation} ${JSON.stringify(body)}`)
    return body
  }
  for (const key of [keys.live, keys.test]) {
    const isTest = key === keys.test
    const phoneNumber = isTest ? '010-0000-0000' : PHONE
    const order = { phoneNumber, purpose: 'at-size', metadata: { order: 'order-1' } }
    const first = await call('issue', { ...order, idempotencyKey: 'one' }, key)
    await call('issue', { ...order, idempotencyKey: 'one' }, key)
    const { issueId } = await call('issue', { ...order, idempotencyKey: 'two' }, key)
    await world.advance(2_000)
    await call('status', { issueId }, key)
    await call('getIssue', { issueId: first.issueId }, key)
    await call('verify', { issueId, code: '123456' }, key)
    await call('verify', { issueId, code: '000000' }, key)
    await call('balance', undefined, key)
    await call('listTemplates', undefined, key)
    for (const verificationStatus of ['issued', 'expired', 'verified', 'max_attempts', 'replaced'])
      await call('listIssues', { verificationStatus, limit: 100 }, key)
    await call('listIssues', { createdTo: new Date(START - 90 * DAY_MS).toISOString() }, key)
    for (const entryType of ['debit', 'refund']) await call('listCreditLedger', { entryType }, key)
    await call('listCreditLedger', { createdTo: new Date(START - 90 * DAY_MS).toISOString() }, key)
  }
  const [message] = await world.rows<{ id: string }>(
    'SELECT hex(message_id) AS id FROM attempts WHERE awaited_at IS NOT NULL LIMIT 1',
  )
  if (message) await world.report('main', { messageId: uuid(message.id), status: 'delivered' })
  await world.report('main', { messageId: 'carrier-1', status: 'delivered' })

  const client = new ConsoleClient(world)
  await client.call('session/setUp', {
    token: await setUpToken(world),
    ...{ name: 'Ann', email: 'ann@example.com', password: PASSWORD },
  })
  const asked = { appId, ...of }
  const all = [...QUESTIONS, ...Object.entries(ROWS).map(([path, { input }]) => [path, input] as const)]
  for (const [path, input] of all.filter(([path]) => !path.startsWith('session/'))) {
    const { status } = await client.call(path, input(asked) ?? {})
    if (status >= 500) failed.push(path)
  }
  await world.advance(10_000)
  await world.sweep()
  await world.leap(2 * 3_600_000)
  await world.sweep()
  await world.advance(10_000)
  await world.run(world.app.vitals())
  return failed
}

const uuid = (hex: string) => hex.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

async function furnish(world: World, fillEvents: (endpointId: string) => Promise<void>) {
  const { admin } = world
  const appId = LARGEST
  await world.provide('main', ['sms'], SMS_URL)
  const [live, test] = [
    await world.key({ appId, kind: 'sk', mode: 'live' }),
    await world.key({ appId, kind: 'sk', mode: 'test' }),
  ]
  const { endpoint } = await administer.addEndpoint(admin, {
    ...{ appId, mode: 'live', url: 'https://93.184.216.34/hook', events: ['otp.sent'] },
  })
  await fillEvents(endpoint.endpointId)
  const { relay } = await administer.addRelay(admin, appId, { name: 'first', source: 'plain', mode: 'test' })
  const incidentId = crypto.randomUUID()
  await world.store.transaction((tx) =>
    tx.traffic.saveIncident({
      ...{ incidentId, appId, kind: 'sk', country: 'KR', since: START, lastAt: START, endedAt: undefined },
      ...{ isBlocked: true, refused: 7, rules: ['cap'], cost: 3 },
      ...{ refunded: undefined },
    }),
  )
  const [issue] = await world.rows<{ id: string }>(
    `SELECT hex(issue_id) AS id FROM issues WHERE app_id = '${appId}' AND mode = 'live' ORDER BY issue_id DESC LIMIT 1`,
  )
  const order = { phoneNumber: '010-0000-0000', purpose: 'try', idempotencyKey: 'try' }
  const tried = await world.call('rest', 'issue', order, { key: test })
  const eventId = await administer.testEndpoint(admin, endpoint.endpointId, 'otp.sent')
  const [delivery] = await world.store.lists.hooks.page({ endpointId: endpoint.endpointId, limit: 1 })
  const [key] = await world.store.read.keys.ofApp(appId)
  return {
    ...{ appId, keys: { live, test }, issueId: uuid(issue?.id ?? ''), testIssueId: String(tried.body.issueId) },
    ...{ keyId: key?.keyId ?? '', endpointId: endpoint.endpointId, deliveryId: delivery?.deliveryId ?? '', eventId },
    ...{ relayId: relay.relayId, incidentId, templateId: 'otp_default_kr' },
  }
}
