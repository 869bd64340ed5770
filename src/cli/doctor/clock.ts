/** Compares the clock of this machine with the timestamps it has written. */
import { MODES } from '../../domain/shared/value'
import type { Reader } from '../../ports/store'
import { type Check, findings, type SharedInstallation, type Wrong } from './finding'

/** Two processes of one machine may differ by this much. */
const TOLERANCE_MS = 2_000
const ENTRIES_LOOKED_AT = 1_000

export const checkClock: Check = async ({ store: { read }, now }) => {
  const entries = (await read.audit.page({ limit: ENTRIES_LOOKED_AT })).map(({ at }) => at)
  const newest = Math.max(...(await newestIssues(read, now)), ...entries, 0)
  const wrong: Wrong[] = []
  if (newest > now + TOLERANCE_MS) {
    wrong.push({
      state: 'problem',
      message: `The newest record is of ${new Date(newest).toISOString()}, and the clock says ${new Date(now).toISOString()}.`,
      advice: 'Set the clock by NTP (timedatectl): codes expire and limits count by it.',
    })
  }
  const back = entries.findIndex((at, index) => at + TOLERANCE_MS < (entries[index + 1] ?? 0))
  if (back >= 0) {
    wrong.push({
      state: 'warn',
      message: `The clock has gone back before: an entry of ${new Date(entries[back] ?? 0).toISOString()} follows one of ${new Date(entries[back + 1] ?? 0).toISOString()}.`,
      advice: 'Let NTP slew the clock (chrony, systemd-timesyncd) and not step it.',
    })
  }
  return findings('clock', wrong, 'No record is from the future, and the clock has not gone back.')
}

async function newestIssues(read: Reader, now: number): Promise<number[]> {
  const owners = (await read.apps.withRemoved()).flatMap(({ appId }) => MODES.map((mode) => ({ appId, mode })))
  const pages = await Promise.all(owners.map((owner) => read.issues.page(owner, { limit: 1 }, now)))
  return pages.flat().map(({ createdAt }) => createdAt)
}

const DATABASE_TOLERANCE_MS = 2_000

/** Compares the clock of this machine with the clock of the database. */
export function checkClocks({ server: { clockLead } }: SharedInstallation) {
  const { ms, within } = clockLead
  const differs = Math.abs(ms) - within > DATABASE_TOLERANCE_MS
  const seconds = `${(Math.abs(ms) / 1_000).toFixed(1)} s ${ms > 0 ? 'ahead of' : 'behind'}`
  const wrong: Wrong[] = [
    {
      state: 'warn',
      message: `The clock of this machine is ${seconds} the database's, by which codes expire and limits count.`,
      advice: 'Set both by NTP (timedatectl): logs, and signatures for carriers, go by the clock of the machine.',
    },
  ]
  const otherwise = `This machine and the database agree to ${Math.max(1, Math.abs(ms) + within)} ms.`
  return findings('clocks', differs ? wrong : [], otherwise)
}
