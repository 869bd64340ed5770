/** Whether the replica, where one is set, may be asked for lists. */
import { inspectServer, type ServerReport } from '../../store/postgres/inspect'
import { systemClock } from '../../system/clock'
import { endingOf } from '../failure'
import { type DoctorFinding, findings, type SharedInstallation, type Wrong } from './finding'

const FAR_BEHIND_MS = 60_000
const ADVICE = 'Nothing is lost: lists come from the database itself meanwhile. Look at WATCHWORD_DATABASE_REPLICA_URL.'

export async function checkReplica({ config: { database } }: SharedInstallation): Promise<DoctorFinding[]> {
  const url = database?.replicaUrl
  if (url === undefined) return findings('replica', [], 'No replica is set: lists come from the database itself.')
  const found = await inspectServer(url, systemClock).catch((error: unknown) => endingOf(error).message)
  const message = typeof found === 'string' ? found : whatIsWrong(found)
  const wrong: Wrong[] = message === undefined ? [] : [{ state: 'warn', message, advice: ADVICE }]
  return findings('replica', wrong, 'The replica answers, and follows.')
}

function whatIsWrong({ name, isPrimary, behindMs, schema }: ServerReport): string | undefined {
  if (isPrimary) return `${name} is no replica.`
  if (!schema) return `There is nothing of Watchword in ${name}.`
  return behindMs > FAR_BEHIND_MS ? `${name} is ${Math.round(behindMs / 1_000)} s behind.` : undefined
}
