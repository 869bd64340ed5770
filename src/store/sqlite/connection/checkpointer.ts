/** A worker thread that makes passive checkpoints. It answers each request with whether the log is nearly copied. */
import { Database } from 'bun:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { type Length, SHORT, waiting } from './checkpoints'

/** Each round copies what was written during the one before, so rounds become shorter. */
const MOST_ROUNDS = 20

const db = new Database(workerData, { strict: true })
const copy = db.query<Length, []>('PRAGMA wal_checkpoint(PASSIVE)')
const look = db.query<Length, []>('PRAGMA wal_checkpoint(NOOP)')

function copyUntilShort(): boolean {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    copy.get()
    if (waiting(look.get()) <= SHORT) return true
  }
  return false
}

parentPort?.on('message', () => {
  try {
    parentPort?.postMessage(copyUntilShort())
  } catch {
    // The disk may be full. Changes in the log are as safe as those that are copied.
    parentPort?.postMessage(false)
  }
})
