/** Builds of the service between which a deploy goes, each a tree that is run from source. */
import { Database } from 'bun:sqlite'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../../../src/domain/operations/version'
import { migrate } from '../../../src/store/sqlite/connection/migrate'
import { ROOT, run } from '../support'

export interface Build {
  version: string
  tree: string
  /** It closes connections under requests when it stops, as releases did that do not know `WATCHWORD_LEAVING_MS`. */
  isAbrupt?: boolean
}

export const today: Build = { version: VERSION, tree: ROOT }

const NEEDED = ['src', 'contract', 'client', 'migrations', 'package.json', 'tsconfig.json']

/** Today's tree as the release after it: with another version, and a migration more of each database. */
export function nextRelease(folder: string): Build {
  const tree = join(folder, 'next')
  for (const name of NEEDED) cpSync(join(ROOT, name), join(tree, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
  const version = `${VERSION}-next`
  change(join(tree, 'package.json'), `"version": "${VERSION}"`, `"version": "${version}"`)
  addMigration(tree, 'sqlite', inSQLite())
  addMigration(tree, 'postgres', IN_POSTGRES)
  return { version, tree }
}

/** Only adds, but to whatever there is: nothing may depend on what is not its own. */
const IN_POSTGRES = `
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
      EXECUTE format('ALTER TABLE %I ADD COLUMN of_next text', name);
    END LOOP;
  END $$;
  CREATE TABLE of_next (at bigint NOT NULL);`

function inSQLite(): string {
  const db = new Database(':memory:')
  migrate(db)
  const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  db.close()
  const named = tables.flatMap(({ name }) => (name.startsWith('sqlite_') ? [] : [name]))
  return `${named.map((name) => `ALTER TABLE ${name} ADD COLUMN of_next TEXT;`).join('\n')}
    CREATE TABLE of_next (at INTEGER NOT NULL) STRICT;`
}

/** A file, its import and its place behind the others. */
function addMigration(tree: string, database: 'sqlite' | 'postgres', text: string): void {
  const file = `migrations/${database}/9999_next.sql`
  writeFileSync(join(tree, file), text)
  const code = join(tree, `src/store/${database}/connection/migrate.ts`)
  change(code, '\nimport initial', `\nimport next from '../../../../${file}' with { type: 'text' }\nimport initial`)
  change(code, /(const MIGRATIONS: [^=]* = \[[^\]]*?),?\s*\]/, '$1, next]')
}

function change(file: string, what: string | RegExp, by: string): void {
  const before = readFileSync(file, 'utf8')
  const after = before.replace(what, by)
  if (after === before) throw new Error(`${file} has no ${what}`)
  writeFileSync(file, after)
}

/** The tree of a revision, with the packages of its own. */
export async function releaseAt(revision: string, folder: string): Promise<Build> {
  const tree = join(folder, 'before')
  mkdirSync(tree)
  const archive = join(folder, 'before.tar')
  await told(ROOT, 'git', 'archive', `--output=${archive}`, revision)
  await told(tree, 'tar', '-xf', archive)
  await told(tree, process.execPath, 'install', '--production', '--frozen-lockfile')
  const read = (file: string) => readFileSync(join(tree, file), 'utf8')
  return {
    version: JSON.parse(read('package.json')).version,
    tree,
    isAbrupt: !read('src/config.ts').includes('LEAVING_MS'),
  }
}

async function told(cwd: string, ...command: string[]): Promise<void> {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }
  const { exitCode, stderr } = await run({ command, cwd, env })
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
}
