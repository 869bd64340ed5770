/**
 * The client as it is published, packed once for all tests of a run: it is always packed in the same folder, where two
 * that pack at a time would take away each other's files. `bun test/support/pack-client.ts` does the same for a shell.
 */
import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BUILT, ROOT, run } from '../binary/support'
import { HANGS_AFTER_MS } from './until'

const DIST = join(ROOT, 'dist')

/** Says that this run has packed it, beside the binary that this run has built. */
const marker = () => {
  const built = process.env[BUILT]
  return built === undefined || built === '' ? undefined : join(dirname(built), 'client-is-packed')
}

/** Answers once it lies in `dist`. */
export async function packClient(): Promise<void> {
  mkdirSync(DIST, { recursive: true })
  // A lock that a process leaves behind by whichever end it comes to.
  const lock = new Database(join(DIST, 'packing.lock'))
  try {
    lock.run(`PRAGMA busy_timeout = ${HANGS_AFTER_MS}`)
    lock.run('BEGIN EXCLUSIVE')
    const done = marker()
    if (done !== undefined && existsSync(done)) return
    const env = { PATH: process.env.PATH ?? '' }
    const { exitCode, stderr } = await run({ command: [process.execPath, 'run', 'pack'], cwd: ROOT, env })
    if (exitCode !== 0) throw new Error(stderr)
    if (done !== undefined) writeFileSync(done, '')
  } finally {
    lock.close()
  }
}

if (import.meta.main) await packClient()
