/** A PostgreSQL that is filled, and says what each slow statement reads. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { migrate } from '../../src/store/postgres/connection/migrate'
import { openStore } from '../../src/store/postgres/open'
import { systemClock } from '../../src/system/clock'
import type { VirtualClock } from '../support/clock'
import type { OpenedStore, Opening, Parameter, Place } from '../support/place'
import type { Postgres } from '../support/postgres'
import { START } from '../support/world'
import { filling, LARGE, POSTGRES } from './fill'

/** Faster statements cannot have read much. */
const EXPLAINED_FROM_MS = 2

/** Settings of a server that fills quickly and writes plans to a file. */
export const EXPLAINING = {
  ...{ max_wal_size: '8GB', checkpoint_timeout: '30min', shared_buffers: '512MB', maintenance_work_mem: '512MB' },
  // Statistics are made once, after the rows.
  ...{ autovacuum: 'off', max_parallel_workers_per_gather: 0 },
  ...{ session_preload_libraries: 'auto_explain', log_min_messages: 'log', logging_collector: 'on' },
  ...{ log_directory: 'log', log_filename: 'plans', log_rotation_size: 0, log_rotation_age: 0, log_line_prefix: '%%' },
  ...{ 'auto_explain.log_analyze': 'on', 'auto_explain.log_timing': 'off', 'auto_explain.log_format': 'json' },
} as const

export class LargePostgres implements Place {
  readonly #beside: SQL
  #stop = () => {}

  constructor(private readonly server: Postgres) {
    this.#beside = new SQL(server.url(), { max: 1 })
  }

  async fill(): Promise<void> {
    await migrate(this.#beside)
    for (const insert of filling(POSTGRES, LARGE, START)) await this.#beside.unsafe(insert)
    await this.#beside.unsafe('ANALYZE')
    await this.#beside.unsafe(`ALTER ROLE postgres SET auto_explain.log_min_duration = ${EXPLAINED_FROM_MS}`)
  }

  async open({ clock, vault, serves = true }: Opening): Promise<OpenedStore> {
    await this.#goBy(clock)
    const patient = { elapsed: () => clock.elapsed(), after: systemClock.after }
    return openStore({ url: this.server.url(), size: 4, clock: patient, vault, node: 'node-1', serves })
  }

  /** The database's time is that of the test. */
  async #goBy(clock: VirtualClock): Promise<void> {
    const file = join(this.server.folder, 'clock')
    this.#stop = clock.follow((now) => {
      writeFileSync(`${file}.next`, String(now))
      renameSync(`${file}.next`, file)
    })
    await this.#beside.unsafe(`CREATE OR REPLACE FUNCTION clock_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
      $$ SELECT pg_read_file('${file}')::bigint $$`)
    await this.#beside.unsafe(`CREATE OR REPLACE FUNCTION hex(uuid) RETURNS text LANGUAGE sql
      RETURN upper(encode(uuid_send($1), 'hex'))`)
  }

  async rows<T>(sql: string, ...parameters: Parameter[]): Promise<T[]> {
    return [...(await this.#beside.unsafe(numbered(sql), parameters))] as T[]
  }

  async write(sql: string, ...parameters: Parameter[]): Promise<void> {
    await this.#beside.unsafe(numbered(sql), parameters)
  }

  async dump(): Promise<string> {
    throw new Error('Too much to be read')
  }

  async remove(): Promise<void> {
    this.#stop()
    await this.#beside.close()
  }

  /** The plans that the server has written so far. */
  plans(): Plan[] {
    const file = join(this.server.dir, 'log/plans')
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    return text.split('%LOG:').flatMap((entry) => {
      const [, json] = /plan:\n\s*(\{.*\})\s*$/s.exec(entry) ?? []
      return json === undefined ? [] : [planOf(JSON.parse(json))]
    })
  }
}

const numbered = (sql: string) => {
  let place = 0
  return sql.replaceAll('?', () => `$${++place}`)
}

export interface Plan {
  text: string
  /** Rows that were looked at, also those that a filter left out. */
  read: number
  answered: number
}

interface PlanNode {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

const planOf = ({ 'Query Text': text, Plan: root }: { 'Query Text': string; Plan: PlanNode }): Plan => ({
  ...{ text, read: readBy(root), answered: root['Actual Rows'] },
})

function readBy(node: PlanNode): number {
  const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Index Recheck': rechecked = 0 } = node
  const own = / Scan$/.test(node['Node Type']) ? (node['Actual Rows'] + filtered + rechecked) * node['Actual Loops'] : 0
  return own + (node.Plans ?? []).reduce((sum, below) => sum + readBy(below), 0)
}
