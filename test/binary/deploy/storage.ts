/** Where the servers of a deploy keep everything: one in a data folder, or three in a PostgreSQL. */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { SQL } from 'bun'
import { Postgres } from '../../support/postgres'
import { snapshot } from '../torture/nodes/snapshot'

export interface Storage {
  servers: number
  env: Record<string, string>
  rows(query: string): Promise<unknown[][]>
  /** As it is now, as a file that nobody writes to. */
  copy(file: string): Promise<void>
  close(): Promise<void>
}

export function inFolder(folder: string): Storage {
  const dataDir = join(folder, 'data')
  const opened = <Answer>(work: (db: Database) => Answer): Answer => {
    using db = new Database(join(dataDir, 'watchword.db'), { readonly: true })
    return work(db)
  }
  return {
    servers: 1,
    env: { WATCHWORD_DATA: dataDir },
    rows: async (query) => opened((db) => db.query(query).values()),
    copy: async (file) => opened((db) => void db.run('VACUUM INTO ?', [file])),
    async close() {},
  }
}

export async function inPostgres(): Promise<Storage> {
  const postgres = await Postgres.start({ isDurable: true })
  const sql = new SQL(postgres.url(), { max: 1 })
  return {
    servers: 3,
    env: {
      WATCHWORD_DATABASE_URL: postgres.url(),
      WATCHWORD_DATABASE_POOL: '8',
      WATCHWORD_SECRET: 'the secret of servers that are replaced',
    },
    rows: async (query) => await sql.unsafe(query).values(),
    copy: (file) => snapshot(postgres.url(), file),
    async close() {
      await sql.close()
      await postgres.stop()
    },
  }
}
