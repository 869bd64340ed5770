/** The thread that copies the write-ahead log of a database: asked for it, it says whether hardly anything is left. */
import { Database } from 'bun:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { type Length, SHORT, waiting } from './checkpoints'

/** Each is shorter than the one before: it copies what was written meanwhile. */
const MOST_ROUNDS = 5

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
    // The disk is full, say. What is in the log is as safe as what is copied.
    parentPort?.postMessage(false)
  }
})
