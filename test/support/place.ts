/** Where a World keeps what it stores: a file of SQLite, or with `TEST_STORE=postgres` a schema in PostgreSQL. */
import { Database as File } from 'bun:sqlite'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Fleet } from '../../src/ports/node'
import type { Store } from '../../src/ports/store'
import type { Vault } from '../../src/ports/vault'
import { openStore } from '../../src/store/sqlite/open'
import type { VirtualClock } from './clock'
import { layOutAt, scratch } from './laid-out'

export const IS_POSTGRES = process.env.TEST_STORE === 'postgres'

/** Of promises about the file itself: on another store the runner reports them as skipped. */
export const onSQLite = <Part extends { skip: unknown }>(part: Part): Part => (IS_POSTGRES ? (part.skip as Part) : part)

export type Parameter = string | number | Uint8Array

export interface Opening {
  clock: VirtualClock
  vault: Vault
  /** Of PostgreSQL: for a server, which is usual, or for a command. */
  serves?: boolean
  /** Of SQLite: defers its commits. */
  soon?: (drain: () => void) => void
}

/** `fleet`: where several servers may share it. */
export type OpenedStore = Store & { fleet?: Fleet }

export interface Place {
  open(how: Opening): Promise<OpenedStore>
  /** Reads as an operator would, behind the app's back; `hex(…)` of bytes and ids is there everywhere. */
  rows<T>(sql: string, ...parameters: Parameter[]): Promise<T[]>
  /** Changes something behind the app's back, as another release has left it. */
  write(sql: string, ...parameters: Parameter[]): Promise<void>
  /** All that is to be found by whoever has the disk. */
  dump(): Promise<string>
  remove(): Promise<void>
}

export const newPlace = async (): Promise<Place> =>
  IS_POSTGRES
    ? await (await import('./schema-place')).SchemaPlace.find()
    : (await import('./reused-file')).ReusedFile.find()

export class FilePlace implements Place {
  /** Reading the schema anew for each query would take longer than the query. */
  #reading: File | undefined

  constructor(private readonly folder = mkdtempSync(join(scratch, 'watchword-test-'))) {}

  get dir(): string {
    return this.folder
  }

  get file(): string {
    return join(this.dir, 'watchword.db')
  }

  async open({ clock, vault, soon }: Opening): Promise<Store> {
    layOutAt(this.file)
    return openStore({ file: this.file, clock, vault, ...(soon && { soon }) })
  }

  async rows<T>(sql: string, ...parameters: Parameter[]): Promise<T[]> {
    return this.query<T>(sql, ...parameters)
  }

  /** The same, where nothing can be waited for. */
  query<T>(sql: string, ...parameters: Parameter[]): T[] {
    this.#reading ??= new File(this.file, { readonly: true })
    return this.#reading.query(sql).all(...parameters) as T[]
  }

  async write(sql: string, ...parameters: Parameter[]): Promise<void> {
    using db = new File(this.file)
    db.query(sql).run(...parameters)
  }

  /** What was written last is beside the file. */
  async dump(): Promise<string> {
    return [this.file, `${this.file}-wal`].map((path) => readFileSync(path, 'latin1')).join('')
  }

  async remove(): Promise<void> {
    this.#reading?.close()
    rmSync(this.dir, { recursive: true, force: true })
  }
}
