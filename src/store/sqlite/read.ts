/** Reads of committed data on separate connections, so that they never wait for a writer. */
import type { HeadFile } from '../../ports/files'
import type { Lists, Reader } from '../../ports/store'
import type { Vault } from '../../ports/vault'
import { guarded } from '../failure'
import { createAppReader, createChallengeReader, createKeyReader, createRelayReader } from './apps'
import { createAttemptReader } from './attempts'
import { createAuditReader } from './audit'
import { createCarrierReader } from './carriers'
import { createClockReader } from './clock'
import { readFailure } from './connection/failure'
import type { Connections } from './connection/read-group'
import { plain } from './connection/statement'
import { createIssueReader } from './issues'
import { createJobReader } from './jobs'
import { createKeyRingReader } from './key-ring'
import { createNoticeReader } from './notices'
import { createPeopleReader } from './people'
import { createPhoneReader } from './phones'
import { createReportReader } from './reports'
import { createTrafficReader } from './traffic'
import { createUsageReader } from './usage'
import { createWalletReader } from './wallets'
import { createWebhookReader } from './webhooks'

export interface ReadOptions {
  vault: Vault
  headFile: HeadFile | undefined
  settingsVersion: () => Promise<string>
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number
}

const SIZE = plain<{ bytes: number }>(
  'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
)

export function createReader(
  connections: Connections,
  { vault, headFile, settingsVersion, elapsed }: ReadOptions,
): Reader & Lists {
  const { reading: connection, scanning } = connections
  const size = SIZE.on(connection)
  const reader = guarded(
    {
      ...createIssueReader(connections),
      ...createAttemptReader(connection),
      ...createWalletReader(connections),
      ...createJobReader(connection),
      ...createAppReader(connection),
      ...createChallengeReader(connection, vault),
      ...createRelayReader(connection, vault),
      ...createKeyReader(connection),
      ...createCarrierReader(connection, vault),
      ...createWebhookReader(connection, vault),
      ...createPeopleReader(connection, vault),
      ...createAuditReader(connection, vault, headFile),
      ...createUsageReader(connection, elapsed),
      ...createReportReader(connection),
      ...createTrafficReader(connection, scanning, vault),
      ...createNoticeReader(connection, vault),
      ...createPhoneReader(connection, vault),
      ...createKeyRingReader(connection, vault),
      ...createClockReader(connection),
      async nodes() {
        return []
      },
      async size() {
        return size.get()?.bytes ?? 0
      },
    },
    readFailure,
  )
  return { ...reader, settingsVersion }
}
