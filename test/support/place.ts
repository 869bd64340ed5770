/** Where a World keeps what it stores: a file of SQLite, or with `WATCHWORD_TEST_STORE=postgres` a schema in PostgreSQL. */
import { Database as File } from 'bun:sqlite'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import type { Fleet } from '../../src/ports/fleet'
import type { Store } from '../../src/ports/store'
import type { Vault } from '../../src/ports/vault'
import { openStore as openSchema } from '../../src/store/postgres/open'
import { openStore as openFile } from '../../src/store/sqlite/open'
import type { VirtualClock } from './clock'
import { type Database, sharedPostgres } from './postgres'

export const IS_POSTGRES = process.env.WATCHWORD_TEST_STORE === 'postgres'

/** Of promises about the file itself: on another store the runner reports them as skipped. */
export const onSQLite = <Part extends { skip: unknown }>(part: Part): Part => (IS_POSTGRES ? (part.skip as Part) : part)

/** Memory-backed where the machine has it: these tests promise nothing about the disk. */
const scratch = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

export type Parameter = string | number | Uint8Array

export interface Opening {
  clock: VirtualClock
  vault: Vault
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

export const newPlace = async (): Promise<Place> => (IS_POSTGRES ? await SchemaPlace.find() : new FilePlace())

export class FilePlace implements Place {
  constructor(readonly dir = mkdtempSync(join(scratch, 'watchword-test-'))) {}

  get file(): string {
    return join(this.dir, 'watchword.db')
  }

  async open({ clock, vault, soon }: Opening): Promise<Store> {
    return openFile({ file: this.file, clock, vault, ...(soon && { soon }) })
  }

  async rows<T>(sql: string, ...parameters: Parameter[]): Promise<T[]> {
    return this.query<T>(sql, ...parameters)
  }

  /** The same, where nothing can be waited for. */
  query<T>(sql: string, ...parameters: Parameter[]): T[] {
    using db = new File(this.file, { readonly: true })
    return db.query(sql).all(...parameters) as T[]
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
    rmSync(this.dir, { recursive: true, force: true })
  }
}

/** Units need one each; more would only wait for each other. */
const CONNECTIONS = 4

/** Made and migrated, and empty again: sooner there than new ones. */
const free: Database[] = []

export class SchemaPlace implements Place {
  readonly #stores: Store[] = []
  readonly #clocks = new Map<VirtualClock, () => void>()
  /** An operator's own connection. */
  #beside: SQL | undefined

  private constructor(
    private readonly database: Database,
    private readonly by: (url: string) => string,
  ) {}

  /** `by`: another way there. */
  static async find(by = (url: string) => url): Promise<SchemaPlace> {
    return new SchemaPlace(free.pop() ?? (await (await sharedPostgres()).database()), by)
  }

  async open({ clock, vault }: Opening): Promise<OpenedStore> {
    const url = this.by(this.database.url)
    // No connection has gone silent, however far time jumps.
    const patient = { elapsed: () => clock.elapsed(), after: () => () => {} }
    const node = `node-${this.#stores.length + 1}`
    const store = await openSchema({ url, size: CONNECTIONS, clock: patient, vault, node })
    if (!this.#clocks.has(clock)) this.#clocks.set(clock, await this.database.goBy(clock))
    let closing: Promise<void> | undefined
    const once = { ...store, close: () => (closing ??= store.close()) }
    this.#stores.push(once)
    return once
  }

  async rows<T>(sql: string, ...parameters: Parameter[]): Promise<T[]> {
    // As JSON numbers are numbers, however large their column may be.
    const found = await this.#query(`SELECT row_to_json(r) AS row FROM (${sql}) AS r`, parameters)
    return found.map(({ row }) => withBytes(row) as T)
  }

  async write(sql: string, ...parameters: Parameter[]): Promise<void> {
    await this.#query(sql, parameters)
  }

  async dump(): Promise<string> {
    const tables = await this.rows<{ name: string }>(
      'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
    )
    const rows = await Promise.all(tables.map(({ name }) => this.rows<object>(`SELECT * FROM ${name}`)))
    const text = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value)
    return rows.flatMap((some) => some.flatMap((row) => Object.values(row).map(text))).join('\n')
  }

  /** Once for all worlds that are there. */
  remove(): Promise<void> {
    this.#removing ??= this.#remove()
    return this.#removing
  }
  #removing: Promise<void> | undefined

  async #remove(): Promise<void> {
    // A world whose carrier never answers is left behind as it is.
    await Promise.all(this.#stores.map((store) => store.close()))
    for (const stop of this.#clocks.values()) stop()
    await this.#query(CLEAR, [])
    await this.#beside?.close()
    free.push(this.database)
  }

  async #query(sql: string, parameters: Parameter[]): Promise<Array<{ row: object }>> {
    if (!this.#beside) {
      this.#beside = new SQL(this.database.url, { max: 1 })
      await this.#beside.unsafe(HEX)
    }
    let place = 0
    return this.#beside.unsafe(
      sql.replaceAll('?', () => `$${++place}`),
      parameters,
    )
  }
}

/** As SQLite has it. */
const HEX = ['bytea', 'uuid']
  .map((type) => [type, type === 'uuid' ? 'uuid_send($1)' : '$1'])
  .map(
    ([type, bytes]) =>
      `CREATE OR REPLACE FUNCTION hex(${type}) RETURNS text LANGUAGE sql RETURN upper(encode(${bytes}, 'hex'))`,
  )
  .join(';')

/** All that came after the migrations. */
const CLEAR = `DO $$ DECLARE name text; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables
    WHERE schemaname = current_schema() AND tablename NOT IN ('schema_version', 'lives', 'this_life', 'settings_version', 'facts')
  LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
  DELETE FROM facts WHERE facts.name <> 'installation';
  UPDATE settings_version SET version = 0;
END $$`

/** PostgreSQL writes bytes as text in JSON. */
const withBytes = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && value.startsWith('\\x') ? new Uint8Array(Buffer.from(value.slice(2), 'hex')) : value,
    ]),
  )
