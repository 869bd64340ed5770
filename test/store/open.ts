/** SQLite stores on files of their own. */
import { Database } from 'bun:sqlite'
import { spyOn } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../src/ports/store'
import { openStore, type StoreOptions } from '../../src/store/sqlite/open'
import { StillClock, VAULT } from './sample'

/** Memory-backed where the machine has it: no test here asks whether a sync reaches a disk. */
const scratch = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** A directory for one test's database. */
export class Scratch implements Disposable {
  readonly dir = mkdtempSync(join(scratch, 'watchword-store-'))

  get file(): string {
    return join(this.dir, 'watchword.db')
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true })
  }
}

export const openAt = (file: string, options: Partial<StoreOptions> = {}): Store =>
  openStore({ file, clock: new StillClock(), vault: VAULT, ...options })

/** A store, and the connection it writes with, which nothing but a test may touch. */
export function openWithConnection(
  file: string,
  options: Partial<StoreOptions> = {},
): { store: Store; writing: Database } {
  const run = spyOn(Database.prototype, 'run')
  try {
    const store = openAt(file, options)
    return { store, writing: run.mock.contexts[0] as Database }
  } finally {
    run.mockRestore()
  }
}

/** Reads a database file as an operator would. */
export function query<T>(file: string, sql: string): T[] {
  const db = new Database(file, { readonly: true })
  try {
    return db.query(sql).all() as T[]
  } finally {
    db.close()
  }
}
