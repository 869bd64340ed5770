/** A database as a contender finds it: apps with credit and a key, a carrier, and active issues to work on. */
import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RenderedMessage } from '../src/domain/message/rendered-message'
import type { Owner } from '../src/domain/shared/value'
import type { Issue } from '../src/domain/verification/issue'
import type { Store } from '../src/ports/store'
import { assertCarrier, reportsBySecret } from '../src/providers/carriers'
import { openStore } from '../src/store/sqlite/open'
import { systemClock } from '../src/system/clock'
import { createVault, systemRandom } from '../src/system/vault'
import * as administer from '../src/usecases/administer'
import { ASLEEP } from '../test/support/asleep'
import { FILLED_CODE, filledId, type Supply } from './load/workloads'
import { SECRET } from './secret'
export const vault = createVault(Buffer.from(SECRET))

const CARRIER = 'main'
export const REPORT_SECRET = 'the report secret of the benchmark'
const DAY_MS = 86_400_000

export interface Furnished {
  file: string
  appId: string
  key: string
  supply: Supply
}

export interface Surroundings {
  carrierUrl: string
  carrier?: { reports?: boolean; concurrency?: number; timeoutMs?: number }
  webhookUrl?: string
}

export interface Furniture extends Surroundings {
  /** Active issues. */
  issues: number
  /** Messages that wait to be sent. */
  queued?: number
}

export async function furnish(dir: string, { issues, queued = 0, ...around }: Furniture): Promise<Furnished> {
  mkdirSync(dir, { recursive: true })
  const file = join(dir, 'watchword.db')
  const store = openStore({ file, clock: systemClock, vault })
  const { appId, key } = await furnishApp(store, around)
  await queueMessages(store, appId, queued)
  await store.close()
  return { file, appId, key, supply: fillActive(file, appId, issues) }
}

const adminOf = (store: Store) => ({
  ...{ store, vault, clock: systemClock, random: systemRandom },
  ...{ actor: { name: 'bench' }, assertCarrier, reportsBySecret, node: ASLEEP },
})

/** With credit and a key. */
export async function addApp(store: Store): Promise<{ appId: string; key: string }> {
  const admin = adminOf(store)
  const { appId } = await administer.createApp(admin, { name: 'bench' })
  const { key } = await administer.createKey(admin, { appId, kind: 'sk', mode: 'live' })
  await administer.addCredit(admin, { appId, amount: 1_000_000_000 })
  return { appId, key }
}

/** An app, and who delivers for all there are. */
export async function furnishApp(
  store: Store,
  { carrierUrl, carrier = {}, webhookUrl }: Surroundings,
): Promise<{ appId: string; key: string }> {
  const admin = adminOf(store)
  const app = await addApp(store)
  const { reports = false, ...settings } = carrier
  await administer.setCarrier(admin, {
    name: CARRIER,
    type: 'http',
    channels: ['sms'],
    config: { url: carrierUrl, reports, ...(reports && { reportSecret: REPORT_SECRET }) },
    ...settings,
  })
  if (webhookUrl) {
    await administer.addEndpoint(admin, { appId: app.appId, mode: 'live', url: webhookUrl, events: ['otp.sent'] })
  }
  return app
}

const BATCH = 5_000

/** As issuing leaves them. */
async function queueMessages(store: Store, appId: string, count: number): Promise<void> {
  const owner = { appId, mode: 'live' } as const
  for (let first = 0; first < count; first += BATCH) {
    await store.transaction(async (tx) => {
      const wallet = await tx.wallets.lock(appId)
      const last = Math.min(first + BATCH, count)
      await tx.wallets.save({ ...wallet, reserved: wallet.reserved + last - first })
      for (let n = first; n < last; n++) {
        const issue = queuedIssue(owner, n, tx.now)
        const to = `+8210${String(95_000_000 + n).padStart(8, '0')}`
        await tx.issues.add(issue)
        await tx.outbox.add(issue, { ...LETTER, to })
        await tx.jobs.add({ kind: 'deliver', owner, subjectId: issue.issueId, runAt: tx.now, queue: CARRIER })
      }
    })
  }
}

const LETTER: RenderedMessage = {
  to: '',
  text: `[Watchword] ${FILLED_CODE} is your verification code.`,
  code: FILLED_CODE,
  from: undefined,
  messageType: 'SMS',
  templateCode: '',
  variables: {},
  scenario: undefined,
}

function queuedIssue(owner: Owner, n: number, now: number): Issue {
  const issueId = systemRandom.uuid(now)
  return {
    ...owner,
    issueId,
    messageId: systemRandom.uuid(now),
    legs: undefined,
    purpose: 'queued',
    templateId: 'otp_default_kr',
    channel: 'sms',
    smsFallback: true,
    keyKind: 'sk',
    phoneHash: vault.phoneHash(String(n)),
    codeHash: vault.codeHash(issueId, FILLED_CODE),
    country: 'KR',
    metadata: undefined,
    createdAt: now,
    expiresAt: now + DAY_MS,
    promisedExpiresAt: undefined,
    maxAttempts: 5,
    verificationStatus: 'issued',
    attemptsUsed: 0,
    verifiedAt: undefined,
    deliveryStatus: 'queued',
    leg: 'sms',
    sendPending: true,
    providerOutcomeAmbiguous: false,
    providerOutcomeCode: undefined,
    billingStatus: 'reserved',
    price: 1,
    debitedAmount: 0,
    updatedAt: now,
    prefixHash: undefined,
    networkHash: undefined,
    origin: undefined,
    wrongAt: undefined,
  }
}

function fillActive(file: string, appId: string, count: number): Supply {
  const supply = { base: Date.now() - count - 60_000, count }
  const db = new Database(file, { strict: true })
  db.run('PRAGMA synchronous = OFF')
  const insert = db.query(
    `INSERT INTO issues VALUES ($appId, 'live', $id, $id, 'filled', 'otp_default_kr', 'sms', 1, randomblob(32), $codeHash,
       'KR', NULL, $at, $at + ${DAY_MS}, 10, 'issued', 0, NULL, 'delivered', 'sms', 0, 0, NULL, 'debited', 1, 1, $at, 'sk', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
  )
  db.transaction(() => {
    for (let n = 0; n < count; n++) {
      const issueId = filledId(supply, n)
      const id = Buffer.from(issueId.replaceAll('-', ''), 'hex')
      insert.run({ appId, id, codeHash: vault.codeHash(issueId, FILLED_CODE), at: supply.base + n })
    }
  })()
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  return supply
}
