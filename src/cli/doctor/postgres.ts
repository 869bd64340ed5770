/** The doctor of a PostgreSQL. A check more is a file more and an entry in `CHECKS`. */
import type { Config, DatabaseConfig } from '../../config'
import { SCHEMA_VERSION } from '../../store/postgres/connection/migrate'
import { inspectServer, type ServerReport } from '../../store/postgres/inspect'
import { systemClock } from '../../system/clock'
import { openShared } from '../open'
import { checkArchive } from './archive'
import { checkAudit } from './audit'
import { checkCarriers } from './carriers'
import { checkClock } from './clock'
import { checkClocks } from './clocks'
import { checkConnections } from './connections'
import { checkDatabase } from './database'
import { type Check, cannotOpen, type DoctorFinding, problem, runAll, type SharedInstallation } from './finding'
import { checkKeys } from './keys'
import { checkMachine } from './machine'
import { checkNodes } from './nodes'
import { checkOperatorWebhook } from './operator-webhook'
import { checkProxy } from './proxy'
import { checkReplica } from './replica'
import { checkSecret } from './secret'
import { checkTls } from './tls'
import { checkWebhooks } from './webhooks'

const CHECKS: ReadonlyArray<Check<SharedInstallation>> = [
  checkSecret,
  checkDatabase,
  checkTls,
  checkConnections,
  checkReplica,
  checkNodes,
  checkMachine,
  checkClocks,
  checkClock,
  checkProxy,
  checkCarriers,
  checkOperatorWebhook,
  checkKeys,
  checkWebhooks,
  checkAudit,
  checkArchive,
]

export async function examinePostgres(config: Config, database: DatabaseConfig): Promise<DoctorFinding[]> {
  try {
    const server = await inspectServer(database.url, systemClock)
    const obstacle = obstacleIn(server)
    if (obstacle) return [obstacle]
    const { store, clock } = await openShared(config, database)
    const installation = { config, store, now: clock.now(), server, pool: database.size }
    return await runAll(CHECKS, installation).finally(() => store.close())
  } catch (error) {
    return [cannotOpen(error)]
  }
}

/** Why it is not to be opened: that would fail, or change it. */
function obstacleIn({ name, schema, isPrimary }: ServerReport): DoctorFinding | undefined {
  if (!isPrimary)
    return problem(
      'database',
      `${name} is a replica, which cannot be written.`,
      'Name the primary in WATCHWORD_DATABASE_URL.',
    )
  if (!schema)
    return problem(
      'database',
      `There is nothing of Watchword in ${name}.`,
      'The first `watchword serve` or `watchword app create` lays out its tables.',
    )
  if (schema.version < SCHEMA_VERSION)
    return {
      check: 'database',
      state: 'warn',
      message: `The database has schema version ${schema.version}, and this binary brings ${SCHEMA_VERSION}.`,
      advice: 'The first server of this release brings it up to date; the others go on beside it. Ask again then.',
    }
  return undefined
}
