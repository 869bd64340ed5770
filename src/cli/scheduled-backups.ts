/**
 * Scheduled backups of a server. Each runs `watchword backup` in a separate process, so it does not block the server.
 */
import { join } from 'node:path'
import type { Config } from '../config'
import { isBackupDue, newestOf, nextBackupAt } from '../domain/operations/backup-schedule'
import type { Backups } from '../ports/files'
import type { Log } from '../ports/log'
import { lastFailure, listBackups, noteFailure } from '../system/backups'
import { systemClock, systemSchedule } from '../system/clock'

const EVERY_MINUTE = '* * * * *'

export function backupsOf({ dataDir, backups: { at } }: Config): Backups {
  const { at: failedAt, why: failedBecause } = lastFailure(dataDir) ?? {}
  return { made: listBackups(dataDir), failedAt, failedBecause, nextAt: nextBackupAt(at, systemClock.now()) }
}

/** Returns a function that stops the schedule and a running backup. */
export function scheduleBackups(config: Config, log: Log, schedule = systemSchedule): () => void {
  const { at } = config.backups
  if (at.length === 0) return () => {}
  const ending = new AbortController()
  const stop = schedule(EVERY_MINUTE, async () => {
    const { made, failedAt } = backupsOf(config)
    const now = systemClock.now()
    if (isBackupDue(at, { newestAt: newestOf(made, now)?.at, failedAt }, now)) await makeOne(config, log, ending.signal)
  })
  return () => {
    stop()
    ending.abort()
  }
}

async function makeOne({ dataDir, backups: { keep } }: Config, log: Log, signal: AbortSignal): Promise<void> {
  const command = [...thisProgram(), 'backup', '--data', dataDir, '--keep', String(keep), '--json']
  const child = Bun.spawn(command, { stdio: ['ignore', 'pipe', 'pipe'], signal })
  const [made, said, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (signal.aborted) return
  if (exitCode === 0) {
    const { name, bytes, sha256, removed, audit } = JSON.parse(made)
    log.info({ name, bytes, sha256, removed, audit }, 'backup made')
    return
  }
  // This also covers a backup that was killed or could not start.
  noteFailure(dataDir, said.trim() || `it ended with ${exitCode}`)
  log.error({ exitCode, said: said.trim() }, 'no backup was made')
}

/** From source, Bun runs the program. */
const thisProgram = () =>
  Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, join(import.meta.dir, '../main.ts')]
