/** A data folder as a contender finds it: an app with credit, a key and a carrier, and active issues to work on. */
import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { assertProvider } from '../src/providers/carriers'
import { openStore } from '../src/store/sqlite/open'
import { systemClock } from '../src/system/clock'
import { systemRandom } from '../src/system/random'
import { createVault } from '../src/system/vault'
import * as administer from '../src/usecases/administer'
import { FILLED_CODE, filledId, type Supply } from './load/workloads'

import { SECRET } from './secret'
export const vault = createVault(Buffer.from(SECRET))

const DAY_MS = 86_400_000

export interface Furnished {
  file: string
  appId: string
  key: string
  supply: Supply
}

export interface Furniture {
  /** Active issues. */
  issues: number
  carrierUrl: string
  carrier?: { reports?: boolean; concurrency?: number; timeoutMs?: number }
  webhookUrl?: string
}

export async function furnish(
  dir: string,
  { issues, carrierUrl, carrier = {}, webhookUrl }: Furniture,
): Promise<Furnished> {
  mkdirSync(dir, { recursive: true })
  const file = join(dir, 'watchword.db')
  const store = openStore({ file, clock: systemClock, vault })
  const admin: administer.AdminDependencies = {
    store,
    vault,
    clock: systemClock,
    random: systemRandom,
    actor: { name: 'bench' },
    assertProvider,
    wakeDelivery() {},
  }
  const { appId } = await administer.createApp(admin, { name: 'bench' })
  const { key } = await administer.createKey(admin, { appId, kind: 'sk', mode: 'live' })
  await administer.addCredit(admin, { appId, amount: 1_000_000_000 })
  const { reports = false, ...settings } = carrier
  await administer.setProvider(admin, {
    name: 'main',
    type: 'http',
    channels: ['sms'],
    config: { url: carrierUrl, reports, ...(reports && { reportSecret: 'the report secret of the benchmark' }) },
    ...settings,
  })
  if (webhookUrl) {
    await administer.addEndpoint(admin, { appId, mode: 'live', url: webhookUrl, events: ['otp.sent'] })
  }
  await store.close()
  return { file, appId, key, supply: fillActive(file, appId, issues) }
}

function fillActive(file: string, appId: string, count: number): Supply {
  const supply = { base: Date.now() - count - 60_000, count }
  const db = new Database(file, { strict: true })
  db.run('PRAGMA synchronous = OFF')
  const insert = db.query(
    `INSERT INTO issues VALUES ($appId, 'live', $id, $id, 'filled', 'otp_default_kr', 'sms', 1, randomblob(32), $codeHash,
       'KR', NULL, $at, $at + ${DAY_MS}, 10, 'issued', 0, NULL, 'delivered', 'sms', 0, 0, NULL, 'debited', 1, 1, $at)`,
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
