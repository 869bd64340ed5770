/** Opens the embedded database: pragmas, migrations, one writer with group commit, one reader. */
import { Database } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { unavailable } from '../../domain/shared/error'
import type { Clock } from '../../ports/clock'
import type { HeadFile } from '../../ports/files'
import type { Store } from '../../ports/store'
import type { Vault } from '../../ports/vault'
import { furthest, setBack } from '../clock'
import { ClockWatch } from '../clock-watch'
import { SQLITE } from '../dialect'
import { cannotRead, WrongSecretError } from '../failure'
import { addKeys, allKeys } from '../key-ring'
import type { MigrationStep } from '../migrations'
import { assertNotMoved, FIND_MARK } from '../moved'
import { createLists, createReader } from '../read'
import { type OpenedDoors, openTx } from '../tx'
import { Checkpoints } from './connection/checkpoints'
import { isBusy } from './connection/failure'
import { migrate, migrating } from './connection/migrate'
import { nextTurn, ReadGroup } from './connection/read-group'
import { readsOf, WritingSession } from './connection/session'
import { TransactionState } from './connection/transaction-state'
import { Writer } from './connection/writer'

export interface StoreOptions {
  file: string
  clock: Pick<Clock, 'now' | 'elapsed'>
  vault: Vault
  /** Keeps the head of the audit log outside of the database. */
  headFile?: HeadFile
  /**
   * Length of the write-ahead log at which a checkpoint begins, in pages; 0 where another program makes checkpoints.
   */
  checkpointPages?: number
  /** Defers group reads and group commits to the end of the event loop's turn. */
  atEnd?: (work: () => void) => void
  /** Defers group commits instead of `atEnd`; a command makes its writes yield to those of a server. */
  soon?: (drain: () => Promise<void>) => void
  /** Opens a connection; tests take one that another store has closed, with all that it has prepared. */
  connect?: (file: string, options: { create: true } | { readonly: true }) => Database
}

const BUSY_TIMEOUT_MS = 5_000
/** Pause before another attempt to set the journal mode. */
const BEGINNING_MS = 5

/** Some 48 MB: checkpoints are rare and keep the disk busy only for a moment. */
const CHECKPOINT_PAGES = 12_000

/** Attempts to truncate the log; readers of other processes, which prevent it, seldom stay long. */
const TRUNCATE_TRIES = 20

/** More than any request needs: the probe fails on a disk that has room for small rows but not for an issue. */
const PROBE_BYTES = 256 * 1024

export interface FileStore extends Store {
  /** Writes a consistent copy to a file that must not exist. Blocks for long, so it is not for the serving process. */
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
  connect = (path, options) => new Database(path, { ...options, strict: true }),
}: StoreOptions): FileStore {
  const writing = openWriter(connect(file, { create: true }), vault)
  const reading = openReader(connect(file, { readonly: true }))
  reading.run('PRAGMA cache_size = -65536')
  // Queries over a whole day read each page once and would evict the pages of the other connection's cache.
  const scanning = openReader(connect(file, { readonly: true }))
  scanning.run('PRAGMA cache_size = -256')

  // `data_version` of the writer's connection changes when another process has committed; changes of this process are
  // counted here. It is read once in a turn of the event loop, for all requests in it.
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

  const opened = statSync(file).ino
  const probe = writing.query(`INSERT OR REPLACE INTO facts (name, value) VALUES ('room', zeroblob(${PROBE_BYTES}))`)
  const current = new TransactionState()
  const session = new WritingSession(writing, current)
  const readKeys = () => session.all(allKeys(session))
  vault.ring.follow(readKeys)
  const deps = { vault, headFile }
  // Shared by all transactions: one runs at a time.
  const doors: OpenedDoors = {}
  const followClock = createFollowClock(session, clock)
  let seen = dataVersion.get()?.data_version
  const begun = () => {
    const found = dataVersion.get()?.data_version
    const hasOtherWritten = found !== seen
    // Another process may have committed a new key, with which this one must encrypt from now on.
    if (hasOtherWritten) vault.ring.adopt(readKeys())
    seen = found
    followClock(hasOtherWritten)
  }
  const checkpoints = checkpointPages > 0 ? new Checkpoints(file, writing, checkpointPages) : undefined
  if (!checkpoints) writing.run('PRAGMA wal_autocheckpoint = 0')
  const writer = new Writer(writing, {
    soon,
    elapsed: clock.elapsed,
    begun,
    committed: () => checkpoints?.committed(),
  })

  const groups = [new ReadGroup(reading, atEnd), new ReadGroup(scanning, atEnd)] as const
  const reads = readsOf({ reading: { db: reading, group: groups[0] }, scanning: { db: scanning, group: groups[1] } })
  return {
    read: createReader(reads, deps, {
      settingsVersion,
      nodes: async () => [],
      size: async () => (await reads.get(SIZE)) ?? 0,
    }),
    lists: createLists(reads, deps, clock.elapsed),

    transaction(work) {
      let ended: ReturnType<TransactionState['end']> | undefined
      const run = async () => {
        current.begin(clock.now())
        const { tx, end } = openTx(session, deps, doors)
        try {
          return await work(tx)
        } finally {
          end()
          ended = current.end()
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
      // A deleted file loses what is written to it, and nothing else would say so.
      if (statSync(file, { throwIfNoEntry: false })?.ino !== opened) throw unavailable(`${file} is gone: restore it`)
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
      for (const group of groups) group.readNow()
      reading.close()
      scanning.close()
      if (checkpoints) copyLog(writing)
      writing.close()
    },
  }
}

const SIZE = SQLITE.plain(
  () => sql`SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`,
  ([bytes]) => Number(bytes),
)

/**
 * Leaves everything in one file, unless another process has it open. It does not wait, because that would hold up every
 * writer.
 */
function copyLog(writing: Database): void {
  try {
    writing.run('PRAGMA busy_timeout = 0')
    writing.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // The disk may be full. Changes in the log are as safe as those that are copied.
  }
}

/** `empty`: no file, or nothing in it. `unsealed`: a database without keys. `sealed`: everything else. */
export type FileStage = 'empty' | 'unsealed' | 'sealed'

/** Never throws: opening the database reports what is wrong with it. */
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
 * Makes a database without keys. It is made before the key file. So a first start that is killed, or two at once, never
 * look like a key file whose database was lost.
 */
export function createDatabase(file: string): void {
  const db = new Database(file, { create: true, strict: true })
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    migrate(db)
  } finally {
    db.close()
  }
}

/**
 * Migrates an existing database and answers how many migrations were applied. `tell` is called before each, and its
 * output is flushed before the migration begins.
 */
export async function upgrade(file: string, tell: (step: MigrationStep & { bytes: number }) => void): Promise<number> {
  const db = new Database(file, { create: false, readwrite: true, strict: true })
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    let steps = 0
    for (const step of migrating(db)) {
      steps++
      tell(step)
      // A migration blocks the event loop, so the output is flushed first.
      for (let turn = 0; turn < 3; turn++) await nextTurn()
    }
    return steps
  } finally {
    db.close()
  }
}

/**
 * Otherwise everything that ends at a stored time would last longer once the clock is set back. Codes would stay valid,
 * and the lease of a dead process would hold its message for hours.
 */
function createFollowClock(session: WritingSession, clock: StoreOptions['clock']): (hasOtherWritten: boolean) => void {
  const watch = new ClockWatch()
  let followedMs: number | undefined
  const follow = (hasOtherWritten: boolean) => {
    if (hasOtherWritten) followedMs = undefined
    followedMs ??= session.get(furthest(session)) ?? 0
    const sentAt = clock.elapsed()
    const now = clock.now()
    const answeredAt = clock.elapsed()
    const byMs = watch.setBackMs({ stamped: now, followedMs, sentAt, answeredAt })
    if (byMs === 0) return
    setBack(session, { now, byMs, mayBeNewFrom: now - Math.ceil(answeredAt - watch.rightAt) })
    // Not known yet: this may be rolled back.
    followedMs = undefined
  }
  // The first look only learns the time.
  follow(true)
  return follow
}

function openReader(db: Database): Database {
  db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  return db
}

/** Throws what `migrate` and `takeKeys` throw, after closing the connection. */
function openWriter(db: Database, vault: Vault): Database {
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    // Always on: a row that grows or moves would otherwise leave a copy in its old place, which outlives an erasure.
    db.run('PRAGMA secure_delete = ON')
    migrate(db)
    assertNotMoved(db.query(FIND_MARK).all() as Parameters<typeof assertNotMoved>[0])
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

/**
 * Changing the journal mode needs the file exclusively, and SQLite does not wait for it: two programs may start at
 * once.
 */
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

/**
 * Loads the keys of the database. A database without keys gets new ones; if several programs start at once, one of them
 * wins.
 */
function takeKeys(db: Database, vault: Vault): void {
  const session = new WritingSession(db, new TransactionState())
  const readKeys = () => session.all(allKeys(session))
  if (readKeys().length === 0)
    db.transaction(() => {
      if (readKeys().length === 0) addKeys(session, vault.ring.rows())
    }).immediate()
  if (!vault.ring.adopt(readKeys())) throw new WrongSecretError()
}
