/** SQLite stores on files of their own. */
import { Database } from 'bun:sqlite'
import { spyOn } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '../../src/ports/store'
import { openStore, type StoreOptions } from '../../src/store/sqlite/open'
import { layOutAt, scratch } from '../support/laid-out'
import { StillClock, VAULT } from './sample'

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

export function openAt(file: string, options: Partial<StoreOptions> = {}): Store {
  layOutAt(file)
  return openStore({ file, clock: new StillClock(), vault: VAULT, ...options })
}

/** A store with its writing connection, which only tests may touch. */
export function openWithConnection(
  file: string,
  options: Partial<StoreOptions> = {},
): { store: Store; writing: Database } {
  layOutAt(file)
  const run = spyOn(Database.prototype, 'run')
  try {
    const store = openAt(file, options)
    return { store, writing: run.mock.contexts[0] as Database }
  } finally {
    run.mockRestore()
  }
}

/** Reads a database file without the store, like an operator. */
export function query<T>(file: string, sql: string): T[] {
  const db = new Database(file, { readonly: true })
  try {
    return db.query(sql).all() as T[]
  } finally {
    db.close()
  }
}
