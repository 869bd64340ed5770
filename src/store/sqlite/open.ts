/** Opens the embedded database: pragmas, migrations, one writer with group commit, one reader. */
import { Database } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import type { Clock } from '../../ports/clock'
import type { HeadFile } from '../../ports/files'
import type { Store } from '../../ports/store'
import type { Vault } from '../../ports/vault'
import { cannotRead, WrongSecretError } from '../failure'
import type { MigrationStep } from '../migrations'
import { assertInPlace, MARKED } from '../moved'
import { Checkpoints } from './connection/checkpoints'
import { isBusy } from './connection/failure'
import { migrate, migrating } from './connection/migrate'
import { nextTurn, ReadGroup } from './connection/read-group'
import { TransactionState } from './connection/transaction-state'
import { createTransactions, type OpenTransaction } from './connection/tx'
import { Writer } from './connection/writer'
import { addKeys, keyRingRows } from './key-ring'
import { createReader } from './read'

export interface StoreOptions {
  file: string
  clock: Pick<Clock, 'now' | 'elapsed'>
  vault: Vault
  /** Where the end of the audit log is written down outside of the database. */
  headFile?: HeadFile
  /** Of the write-ahead log, copied into the database together; none, where another program copies it. */
  checkpointPages?: number
  /** Calls at the end of the event loop's turn: what is looked up in it, and what is written. */
  atEnd?: (work: () => void) => void
  /** Defers group commit for longer. */
  soon?: (drain: () => Promise<void>) => void
}

const BUSY_TIMEOUT_MS = 5_000
/** How often it is looked whether another program that begins has done so. */
const BEGINNING_MS = 5

/** Some 48 MB: checkpoints are rare, and keep the disk busy for a moment only. */
const CHECKPOINT_PAGES = 12_000

/** Readers of other processes are seldom there for long. */
const TRUNCATE_TRIES = 20

/** More than any request needs: on a disk where little things find room and an issue does not, this does not either. */
const PROBE_BYTES = 256 * 1024

/** A store in a file. */
export interface FileStore extends Store {
  /** Writes a whole, consistent copy to a file that is not there yet. Takes its time: not for the serving process. */
  copyTo(file: string): void
}

export function openStore({
  file,
  clock,
  vault,
  headFile,
  checkpointPages = CHECKPOINT_PAGES,
  atEnd = setImmediate,
  soon = atEnd,
}: StoreOptions): FileStore {
  const writing = openWriter(file, vault)
  const reading = openReader(file)
  reading.run('PRAGMA cache_size = -65536')
  // What reads a whole day reads each page once: it would fill the cache of the other with them.
  const scanning = openReader(file)
  scanning.run('PRAGMA cache_size = -256')

  // `data_version` of the writer's connection changes when another process has committed; our own changes we count.
  // Read once in a turn of the event loop, for all requests in it.
  const dataVersion = writing.query<{ data_version: number }, []>('PRAGMA data_version')
  let ownChanges = 0
  let version: Promise<string> | undefined
  const readVersion = async () => `${dataVersion.get()?.data_version}.${ownChanges}`
  const settingsVersion = () => {
    if (version === undefined) {
      version = readVersion().catch((cause) => Promise.reject(cannotRead(cause)))
      setImmediate(() => {
        version = undefined
      })
    }
    return version
  }

  const probe = writing.query(`INSERT OR REPLACE INTO facts (name, value) VALUES ('room', zeroblob(${PROBE_BYTES}))`)
  vault.ring.follow(() => keyRingRows(writing))
  const current = new TransactionState()
  const openUnit = createTransactions(writing, vault, headFile, current)
  let seen = dataVersion.get()?.data_version
  const begun = () => {
    const found = dataVersion.get()?.data_version
    const hasOtherWritten = found !== seen
    // What another process commits may be a new key: what is sealed from then on is sealed by that.
    if (hasOtherWritten) vault.ring.adopt(keyRingRows(writing))
    current.endpoints.begin(hasOtherWritten)
    seen = found
  }
  const checkpoints = checkpointPages > 0 ? new Checkpoints(file, writing, checkpointPages) : undefined
  if (!checkpoints) writing.run('PRAGMA wal_autocheckpoint = 0')
  const writer = new Writer(writing, {
    soon,
    elapsed: clock.elapsed,
    begun,
    committed: () => checkpoints?.committed(),
  })

  const group = new ReadGroup(reading, atEnd)
  const read = createReader({ reading, scanning, group }, { vault, headFile, settingsVersion, elapsed: clock.elapsed })
  return {
    read,
    lists: read,

    transaction(work) {
      let ended: ReturnType<OpenTransaction['end']> | undefined
      const run = async () => {
        const { tx, end } = openUnit(clock.now())
        try {
          return await work(tx)
        } finally {
          ended = end()
        }
      }
      return writer.run(run, () => {
        if (ended?.changesSettings) {
          ownChanges++
          version = undefined
        }
        for (const effect of ended?.effects ?? []) effect()
      })
    },

    copyTo(copy) {
      reading.query('VACUUM INTO ?').run(copy)
    },

    async assertWritable() {
      await writer.run(
        async () => void probe.run(),
        () => {},
      )
    },

    async truncateLog() {
      if (!checkpoints) return false
      await checkpoints.shorten()
      for (let tries = 0; tries < TRUNCATE_TRIES; tries++) {
        const isTruncated = checkpoints.truncateAtCommit()
        await writer.run(
          async () => {},
          () => {},
        )
        if (await isTruncated) return true
      }
      return false
    },

    pool: () => undefined,
    logBytes: () => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,

    setTelemetry(telemetry) {
      writer.telemetry = telemetry
      if (checkpoints) checkpoints.telemetry = telemetry
    },

    async close() {
      await writer.close()
      await checkpoints?.close()
      group.readNow()
      reading.close()
      scanning.close()
      if (checkpoints) copyLog(writing)
      writing.close()
    },
  }
}

/** Leaves one file with everything in it, unless somebody else has it open: to wait for them would hold every writer up. */
function copyLog(writing: Database): void {
  try {
    writing.run('PRAGMA busy_timeout = 0')
    writing.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // The disk is full, say. What is in the log is as safe as what is copied.
  }
}

/** How far a file has come: nothing in it, or no file; the tables of a database that has no keys yet; all else. */
export type FileStage = 'empty' | 'unsealed' | 'sealed'

/** What is wrong with a database is told where it is opened. */
export function stageOf(file: string): FileStage {
  if (!existsSync(file) || statSync(file).size === 0) return 'empty'
  const db = new Database(file, { readonly: true, strict: true })
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    if (db.query('SELECT 1 FROM sqlite_schema').get() === null) return 'empty'
    return db.query('SELECT 1 FROM key_ring').get() === null ? 'unsealed' : 'sealed'
  } catch {
    return 'sealed'
  } finally {
    db.close()
  }
}

/**
 * Makes a database without a secret. Before the key file is made, so that a beginning that is killed, or that two make at
 * once, never looks like a key file whose database was lost.
 */
export function layOut(file: string): void {
  const db = new Database(file, { create: true, strict: true })
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    migrate(db)
  } finally {
    db.close()
  }
}

/** Brings a database that is there to today's schema; `tell` is called before each migration, and what it writes is written. Answers how many were applied. */
export async function upgrade(file: string, tell: (step: MigrationStep & { bytes: number }) => void): Promise<number> {
  const db = new Database(file, { create: false, readwrite: true, strict: true })
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    let steps = 0
    for (const step of migrating(db)) {
      steps++
      tell(step)
      // A migration holds the event loop: what is told is written before it.
      for (let turn = 0; turn < 3; turn++) await nextTurn()
    }
    return steps
  } finally {
    db.close()
  }
}

function openReader(file: string): Database {
  const db = new Database(file, { readonly: true, strict: true })
  db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  return db
}

/** Throws what `migrate` and `takeKeys` throw, and then leaves nothing open. */
function openWriter(file: string, vault: Vault): Database {
  const db = new Database(file, { create: true, strict: true })
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    // Also while nothing is erased: a row that grows or moves would leave a copy where it was, which outlives its erasure.
    db.run('PRAGMA secure_delete = ON')
    migrate(db)
    assertInPlace(db.query(MARKED).all() as Parameters<typeof assertInPlace>[0])
    writeAhead(db)
    db.run('PRAGMA synchronous = FULL')
    db.run('PRAGMA foreign_keys = ON')
    db.run('PRAGMA cache_size = -65536')
    // Otherwise the undo logs of savepoints would go to a file.
    db.run('PRAGMA temp_store = MEMORY')
    takeKeys(db, vault)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Nobody else may use the file while that is changed, and for this SQLite does not wait by itself: two programs may begin at once. */
function writeAhead(db: Database): void {
  const until = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      db.run('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error
      Bun.sleepSync(BEGINNING_MS)
    }
  }
}

/** Takes the keys of the database; one that has none gets its own. Of programs that begin at once one wins. */
function takeKeys(db: Database, vault: Vault): void {
  if (keyRingRows(db).length === 0)
    db.transaction(() => {
      if (keyRingRows(db).length === 0) addKeys(db, vault.ring.rows())
    }).immediate()
  if (!vault.ring.adopt(keyRingRows(db))) throw new WrongSecretError()
}
