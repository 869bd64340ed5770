/** A place in PostgreSQL: a schema, which is made once and emptied for the next world. */
import { SQL } from 'bun'
import type { Store } from '../../src/ports/store'
import { migrate } from '../../src/store/postgres/connection/migrate'
import { connect, type PoolOptions } from '../../src/store/postgres/connection/pool'
import { openStore } from '../../src/store/postgres/open'
import { systemClock } from '../../src/system/clock'
import type { VirtualClock } from './clock'
import type { OpenedStore, Opening, Parameter, Place } from './place'
import { type Database, sharedPostgres } from './postgres'

/** Transactions need one each; more would only wait for each other. */
const CONNECTIONS = 4

/** What one world leaves to the next, because all of it takes longer to make than most tests to run. */
export class Schema {
  static readonly #free: Schema[] = []
  /** Connections nobody uses, by how many they are; with what they have prepared. */
  readonly #idle = new Map<number, SQL[]>()
  /** An operator's own connection. */
  readonly beside: Promise<SQL>

  private constructor(readonly database: Database) {
    const beside = new SQL(database.url, { max: 1 })
    this.beside = beside.unsafe(HEX).then(() => beside)
  }

  static async find(): Promise<Schema> {
    const free = Schema.#free.pop()
    if (!free) return Schema.#laidOut()
    await (await free.beside).unsafe(CLEAR)
    return free
  }

  static async #laidOut(): Promise<Schema> {
    const schema = new Schema(await (await sharedPostgres()).database())
    await migrate(await schema.beside)
    return schema
  }

  readonly connect = (options: PoolOptions, name: string): SQL => {
    const idle = this.#idle.get(options.size) ?? []
    this.#idle.set(options.size, idle)
    const sql = idle.pop() ?? connect(options, name)
    return Object.assign(sql, { close: async () => void idle.push(sql) })
  }

  /** Emptied once it is found again: a second world of the same place may still have to stop, and says so in it. */
  leave(): void {
    Schema.#free.push(this)
  }
}

export class SchemaPlace implements Place {
  readonly #stores: Store[] = []
  readonly #clocks = new Map<VirtualClock, () => void>()

  private constructor(
    private readonly schema: Schema,
    private readonly by: ((url: string) => string) | undefined,
  ) {}

  /** `by`: another way there, with connections of its own. */
  static async find(by?: (url: string) => string): Promise<SchemaPlace> {
    return new SchemaPlace(await Schema.find(), by)
  }

  get url(): string {
    return this.schema.database.url
  }

  async open({ clock, vault, serves = true }: Opening): Promise<OpenedStore> {
    const { connect, database } = this.schema
    const way = this.by ? { url: this.by(database.url) } : { url: database.url, connect }
    // No connection has gone silent, however far time jumps; pauses of transactions are of real time.
    const patient = { elapsed: () => clock.elapsed(), after: systemClock.after }
    const node = `node-${this.#stores.length + 1}`
    // Before it looks at the time: a clock that seems to be set back shortens what is stored.
    if (!this.#clocks.has(clock)) this.#clocks.set(clock, await database.goBy(clock))
    const store = await openStore({ ...way, size: CONNECTIONS, clock: patient, vault, node, serves })
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
    this.schema.leave()
  }

  async #query(sql: string, parameters: Parameter[]): Promise<Array<{ row: object }>> {
    let place = 0
    return (await this.schema.beside).unsafe(
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
  DELETE FROM facts WHERE facts.name NOT IN ('installation', 'migrations');
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
