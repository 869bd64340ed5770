/** Recorded databases of each release, and places that have one of them. */
import { Database as File } from 'bun:sqlite'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { connect, type PoolOptions } from '../../src/store/postgres/connection/pool'
import { openStore } from '../../src/store/postgres/open'
import { systemClock } from '../../src/system/clock'
import { FilePlace, type OpenedStore, type Opening, type Parameter, type Place } from '../support/place'
import { type Database, sharedPostgres } from '../support/postgres'
import type { Recorded } from './furnish'

const FIXTURES = join(import.meta.dir, 'fixtures')
/** Stands in a dump for the schema that it is loaded into. */
export const DUMPED_SCHEMA = 'watchword_recorded'

export const fixtureOf = (version: string) => ({
  folder: join(FIXTURES, version),
  database: join(FIXTURES, version, 'watchword.db.gz'),
  dump: join(FIXTURES, version, 'postgres.sql.gz'),
  recorded: join(FIXTURES, version, 'recorded.json'),
})

export const RECORDED: readonly Recorded[] = readdirSync(FIXTURES)
  .sort(Bun.semver.order)
  .map((version) => JSON.parse(readFileSync(fixtureOf(version).recorded, 'utf8')))

export const dumpOf = (version: string): string =>
  new TextDecoder().decode(Bun.gunzipSync(readFileSync(fixtureOf(version).dump)))

/** Writes the recorded file of SQLite to `file`. */
export const unpackDatabase = (version: string, file: string) =>
  writeFileSync(file, Bun.gunzipSync(readFileSync(fixtureOf(version).database)))

/** A recorded file, still as its release left it. */
export class RecordedFile extends FilePlace {
  static async find(version: string): Promise<RecordedFile> {
    const place = new RecordedFile()
    unpackDatabase(version, place.file)
    return place
  }

  async change(work: (db: File) => void): Promise<void> {
    using db = new File(this.file, { strict: true })
    work(db)
  }
}

/** Connections stay open until the process ends, as those of other worlds do: another world goes on beside it. */
const connectForGood = (options: PoolOptions, name: string): SQL =>
  Object.assign(connect(options, name), { close: async () => {} })

/** A recorded dump in a schema of its own, still as its release left it. */
export class RecordedSchema implements Place {
  readonly #closing: Array<() => unknown> = []

  private constructor(
    private readonly database: Database,
    readonly sql: SQL,
  ) {}

  static async find(version: string): Promise<RecordedSchema> {
    const database = await (await sharedPostgres()).database()
    const schema = new URL(database.url).searchParams.get('search_path') ?? ''
    const sql = new SQL(database.url, { max: 1 })
    await sql.unsafe(`DROP SCHEMA ${schema} CASCADE`)
    await sql.unsafe(`${dumpOf(version).replaceAll(DUMPED_SCHEMA, schema)}; SET search_path = ${schema}`)
    return new RecordedSchema(database, sql)
  }

  get url(): string {
    return this.database.url
  }

  async open({ clock, vault }: Opening): Promise<OpenedStore> {
    this.#closing.push(await this.database.goBy(clock))
    const patient = { elapsed: () => clock.elapsed(), after: systemClock.after }
    const store = await openStore({
      url: this.url,
      connect: connectForGood,
      size: 4,
      clock: patient,
      vault,
      node: 'node-1',
      serves: true,
    })
    let closing: Promise<void> | undefined
    const once = { ...store, close: () => (closing ??= store.close()) }
    // A world that was stopped on the way has left it open.
    this.#closing.unshift(once.close)
    return once
  }

  async rows<T>(text: string, ...parameters: Parameter[]): Promise<T[]> {
    let place = 0
    const found = await this.sql.unsafe(
      `SELECT row_to_json(r) AS row FROM (${text.replaceAll('?', () => `$${++place}`)}) AS r`,
      parameters,
    )
    return found.map(({ row }: { row: T }) => row)
  }

  async write(text: string): Promise<void> {
    await this.sql.unsafe(text)
  }

  async dump(): Promise<string> {
    throw new Error('No promise about the disk is tested here')
  }

  async remove(): Promise<void> {
    for (const close of this.#closing) await close()
    await this.sql.close()
    await this.database.drop()
  }
}
