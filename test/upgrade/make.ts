/**
 * Records the databases of a release, which later releases have to upgrade: `bun test/upgrade/make.ts` with `TEST_POSTGRES`, the
 * folder of PostgreSQL's programs with `pg_dump` among them. It is run once for each release, and its files are committed.
 */
import { Database as File } from 'bun:sqlite'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { execute } from '../../deploy/release/programs'
import { version } from '../../package.json'
import { move } from '../../src/store/move/move'
import { openUrl } from '../../src/store/move/postgres'
import { openFile } from '../../src/store/move/sqlite'
import { TABLES } from '../../src/store/move/tables'
import { migrate } from '../../src/store/postgres/connection/migrate'
import { createVault } from '../../src/system/vault'
import { VirtualClock } from '../support/clock'
import { FilePlace } from '../support/place'
import { sharedPostgres } from '../support/postgres'
import { DUMPED_SCHEMA, fixtureOf } from './fixture'
import { furnishWorld, type Recorded } from './furnish'

const SECRET = 'the master secret of databases that are recorded'
const BEGINS_AT = Date.parse('2026-11-20T12:00:00.000Z')

const programs = process.env.TEST_POSTGRES
if (!programs) throw new Error('TEST_POSTGRES must name a folder with postgres and pg_dump')

/** The world that is stopped leaves its file. */
class KeptPlace extends FilePlace {
  override async remove(): Promise<void> {}
}

const place = new KeptPlace()
const known = await furnishWorld(place, new VirtualClock(BEGINS_AT), SECRET)
const file = join(place.dir, 'recorded.db')
const db = new File(place.file)
db.query('VACUUM INTO ?').run(file)
const rows = Object.fromEntries(
  TABLES.filter(({ name }) => name !== 'facts').map(({ name }) => [
    name,
    (db.query(`SELECT count(*) AS n FROM ${name}`).get() as { n: number }).n,
  ]),
)
const recorded: Recorded = { version, ...known, rows }

const copy = join(place.dir, 'copy.db')
db.close()
copyFileSync(file, copy)
const database = await (await sharedPostgres()).database()
const [source, target] = [openFile(copy, 'the recorded file'), await openUrl(database.url)]
await move(source, target, { vault: createVault(Buffer.from(SECRET)), id: '0'.repeat(32), report() {} })
await source.close()
await target.close()
// As the first start after a move does.
const sql = new SQL(database.url, { max: 1 })
await migrate(sql)
await sql.close()
const schema = new URL(database.url).searchParams.get('search_path') ?? ''
const url = new URL(database.url)
url.search = ''
const dumped = execute(join(programs, 'pg_dump'), [
  ...['--no-owner', '--no-acl', '--inserts', '--rows-per-insert=100', `--schema=${schema}`, url.href],
])
const ofPsql = /^(\\.*|SELECT pg_catalog\.set_config.*)\n/gm

const { folder, ...files } = fixtureOf(version)
mkdirSync(folder, { recursive: true })
writeFileSync(files.database, Bun.gzipSync(readFileSync(file), { level: 9 }))
const dump = dumped.replace(ofPsql, '').replaceAll(schema, DUMPED_SCHEMA)
writeFileSync(files.dump, Bun.gzipSync(Buffer.from(dump), { level: 9 }))
writeFileSync(files.recorded, `${JSON.stringify(recorded, undefined, 2)}\n`)
const empty = Object.keys(rows).filter((name) => rows[name] === 0)
process.stdout.write(`${folder}: tables without rows: ${empty.join(', ') || 'none'}\n`)
await database.drop()
await place.remove()
process.exit(0)
