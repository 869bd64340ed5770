/** What must hold of a server that opens the database of an earlier release, whatever a migration made of it. */
import { expect } from 'bun:test'
import { verifyAudit } from '../../src/usecases/verify-audit'
import { ConsoleClient } from '../console/client'
import { Carrier } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import type { Place } from '../support/place'
import { Receivers, verified } from '../support/receiver'
import { World } from '../support/world'
import { HOOK_URL, type Recorded } from './furnish'

/** Long enough for a message that waited to be tried again. */
const TRIED_AGAIN_MS = 120_000

/** Procedures of the console, and where their answers list what the recorded server has. */
const LISTED: ReadonlyArray<[path: string, field: string, table: string]> = [
  ['apps/list', 'apps', 'apps'],
  ['keys/list', 'keys', 'api_keys'],
  ['operators/list', 'operators', 'operators'],
  ['operators/list', 'invitations', 'invitations'],
  ['issues/list', 'rows', 'issues'],
  ['wallet/ledger', 'rows', 'ledger_entries'],
  ['templates/list', 'templates', 'templates'],
  ['webhooks/list', 'endpoints', 'webhook_endpoints'],
  ['carriers/list', 'providers', 'providers'],
  ['relays/list', 'relays', 'relays'],
  ['prices/list', 'prices', 'prices'],
  ['tokens/list', 'tokens', 'report_tokens'],
  ['protection/incidents', 'rows', 'incidents'],
  ['notices/list', 'rows', 'notices'],
  ['notices/ways', 'ways', 'notice_ways'],
  ['audit/list', 'rows', 'audit_entries'],
]

const OF_INSTALLATION = ['apps', 'operators', 'carriers', 'prices', 'tokens', 'notices', 'audit']
/** Each procedure takes its own fields only. */
function inputOf(path: string, appId: string): object {
  const [group = ''] = path.split('/')
  if (OF_INSTALLATION.includes(group)) return {}
  return group === 'issues' ? { appId, mode: 'live' } : { appId }
}

/** Rejects where something does not hold. The place is removed. */
export async function drill(place: Place, recorded: Recorded): Promise<void> {
  const clock = new VirtualClock(recorded.stoppedAt)
  const hooks = new Receivers(clock.now)
  const sms = new Carrier()
  const isAny = (table: string) => (recorded.rows[table] ?? 0) > 0
  const { appId, live, waiting, queued } = recorded
  const world = await World.start({
    ...{ place, clock, hooks, secret: recorded.secret, env: { WATCHWORD_PUBLIC_URL: 'http://localhost' } },
    carriers: { sms, kakao: new Carrier() },
  })
  const step = async (promise: string, work: () => Promise<void>) => {
    await work().catch((cause) => {
      throw new Error(`${promise}: ${cause.message}`, { cause })
    })
  }
  const verify = async (issueId: string, code: string) => {
    const { status, body } = await world.run(world.call('rest', 'verify', { issueId, code }, { key: live }))
    expect({ status, body }).toMatchObject({ status: 200, body: { verified: true } })
  }
  const balanceOf = async () => (await world.rows<{ balance: number }>('SELECT balance FROM wallets'))[0]?.balance ?? 0
  const newIssue = async () => {
    const wanted = { phoneNumber: '010-4000-1000', purpose: 'signup', idempotencyKey: 'after-the-upgrade' }
    const { status, body } = await world.run(world.call('rest', 'issue', wanted, { key: live }))
    expect({ status, body }).toMatchObject({ status: 200 })
    await world.advance(1_000)
    return body.issueId as string
  }
  try {
    await step('the ledger adds up', () => assertBooks(world))
    const before = await balanceOf()
    await step('a stored code verifies', () => verify(waiting.issueId, waiting.code))
    await step('a message that waited is sent, once', async () => {
      await world.advance(TRIED_AGAIN_MS)
      expect(sms.requests.length).toBe(1)
      await verify(queued.issueId, sms.lastCode())
    })
    let issueId = ''
    await step('a new code is sent, verified and charged', async () => {
      issueId = await newIssue()
      await verify(issueId, sms.lastCode())
      for (const { messageId } of sms.requests) await world.report('main', { messageId, status: 'delivered' })
      await world.advance(1_000)
      expect(await balanceOf()).toBe(before - sms.requests.length)
      await assertBooks(world)
    })
    await step('webhooks are sent and signed', async () => {
      const told = await Promise.all(hooks.at(HOOK_URL).map((request) => verified(request, recorded.hookSecret)))
      for (const id of [waiting.issueId, queued.issueId, issueId])
        expect(told.map(({ type, data }) => [type, data.id])).toContainEqual(['otp.verified', id])
    })
    await step('the audit log is whole', async () => {
      expect(await verifyAudit({ read: world.store.read, vault: world.vault })).toMatchObject({ isIntact: true })
    })
    await step('operators see everything', async () => {
      const owner = new ConsoleClient(world)
      const { email, password } = recorded
      expect((await owner.call('session/signIn', { email, password })).status).toBe(200)
      for (const [path, field, table] of LISTED) {
        const { body } = await owner.call(path, inputOf(path, appId))
        expect({ path, isListed: body?.[field]?.length > 0, body }).toEqual({ path, isListed: isAny(table), body })
      }
    })
    await step('relays know their secret', async () => {
      const headers = { authorization: `Bearer ${recorded.relaySecret}` }
      const message = { to: '+821040001001', text: 'Shop: 135790' }
      const relayed = await world.run(world.send('POST', `/relay/plain/${recorded.relayId}`, message, { headers }))
      expect(relayed.status).toBe(200)
      await world.advance(1_000)
      expect(sms.requests.at(-1)?.text).toContain('135790')
      await assertBooks(world)
    })
  } finally {
    await world.stop()
  }
}

/** The ledger adds up to each balance. */
async function assertBooks(world: World): Promise<void> {
  const books = await world.rows<{ balance: number; entries: number }>(
    `SELECT balance, coalesce((SELECT sum(amount_delta) FROM ledger_entries l WHERE l.app_id = w.app_id), 0) AS entries
     FROM wallets w`,
  )
  expect(books.map(({ balance }) => balance)).toEqual(books.map(({ entries }) => Number(entries)))
}
