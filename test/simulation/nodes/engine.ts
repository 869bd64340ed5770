/**
 * A real PostgreSQL that does one thing after the other: a statement is over when it has answered, or waits for a lock that
 * another connection has. Only then the next may begin, so what comes of them depends on nothing but their order.
 */
import { SQL } from 'bun'
import { wireOf } from '../../../src/store/postgres/connection/pool'
import type { Database } from '../../support/postgres'

export interface Question {
  text: string
  values: unknown[]
  /** Rows as lists, as readers want them. */
  isOfValues: boolean
}

export type Answer = { rows: unknown } | { error: unknown }

/** A connection of the server's, and what it is asked now. */
export interface Backend {
  readonly sql: SQL
  readonly pid: number
  /** Settles once it has answered. */
  answered?: Promise<void>
  /** What it is told instead of that it was cancelled. */
  endedAs?: unknown
}

/** How long a statement may take before it is asked whether it waits: nothing depends on it but time. */
const LOOK_AFTER_MS = 1
/** We look for deadlocks ourselves: whom PostgreSQL picks depends on who came first to look. */
const NEVER = '1h'

export class Engine {
  readonly #idle: Backend[] = []
  readonly #all: Backend[] = []
  /** Longest first. */
  #waiting: Backend[] = []

  private constructor(
    readonly database: Database,
    /** The test's own connection. */
    readonly beside: SQL,
  ) {}

  static on(database: Database): Engine {
    return new Engine(database, new SQL(database.url, { max: 1 }))
  }

  /** As after the migrations: also the order in which rows lie, which decides between equals. */
  async empty(): Promise<void> {
    const kept = ['schema_version', 'settings_version', 'facts', 'lives', 'this_life', 'key_ring']
    const tables: Array<{ name: string }> = await this.beside.unsafe(
      'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
    )
    const names = tables.map(({ name }) => name).filter((name) => !kept.includes(name))
    await this.beside.unsafe(`TRUNCATE ${names.join()} RESTART IDENTITY`)
    await this.beside.unsafe('UPDATE settings_version SET version = 0')
    await this.beside.unsafe("DELETE FROM facts WHERE name NOT IN ('installation', 'migrations')")
  }

  /** A connection, with nothing begun on it. */
  async connection(): Promise<Backend> {
    const known = this.#idle.shift()
    if (known) return known
    const sql = new SQL({ url: this.database.url, max: 1, connection: { deadlock_timeout: NEVER } })
    const [{ pid }] = await sql.unsafe('SELECT pg_backend_pid() AS pid')
    const backend = { sql, pid }
    this.#all.push(backend)
    return backend
  }

  /** What is not committed is undone. */
  async giveBack(backend: Backend): Promise<void> {
    await this.ask(backend, { text: 'ROLLBACK', values: [], isOfValues: false }, () => {})
    this.#idle.push(backend)
  }

  /** Ends once it is answered, or waits; what went on because of it, too. */
  async ask(backend: Backend, { text, values, isOfValues }: Question, answered: (answer: Answer) => void) {
    const query = wireOf(backend.sql).unsafe(text, values)
    const rows: Promise<unknown> = isOfValues ? query.values() : query
    backend.answered = rows.then(
      (rows) => answered({ rows }),
      (error) => answered({ error: backend.endedAs ?? error }),
    )
    await this.#goOn(backend)
    await this.#wakeOthers()
  }

  /** Ends the statement that waits, as a timeout does: `as` that, where it is one for locks. */
  async cancel(backend: Backend, as?: unknown): Promise<void> {
    backend.endedAs = as
    await this.#end(backend)
    await this.#wakeOthers()
  }

  async close(): Promise<void> {
    for (const { pid } of this.#waiting) process.kill(pid, 'SIGCONT')
    await Promise.all(this.#all.map(({ sql }) => sql.close({ timeout: 0 })))
    await this.beside.close()
  }

  /** Until it has answered, or waits: then it stands still, so that it does not race with others when its lock is free. */
  async #goOn(backend: Backend): Promise<void> {
    let isOver = false
    const over = backend.answered?.then(() => {
      isOver = true
    })
    for (;;) {
      await Promise.race([over, Bun.sleep(LOOK_AFTER_MS)])
      if (isOver) return
      const blockers = await this.#blockers([...this.#waiting, backend])
      if (!blockers.get(backend.pid)?.length) continue
      if (isOver) return
      if (!waitsForItself(backend.pid, blockers)) break
      backend.endedAs = saidByPostgres('40P01', 'deadlock detected')
      return this.#end(backend)
    }
    process.kill(backend.pid, 'SIGSTOP')
    this.#waiting.push(backend)
  }

  /** One after the other, whoever has waited longest first. */
  async #wakeOthers(): Promise<void> {
    while (this.#waiting.length > 0) {
      const blockers = await this.#blockers(this.#waiting)
      const next = this.#waiting.find(({ pid }) => !blockers.get(pid)?.length)
      if (!next) return
      this.#waiting = this.#waiting.filter((other) => other !== next)
      process.kill(next.pid, 'SIGCONT')
      await this.#goOn(next)
    }
  }

  async #end(backend: Backend): Promise<void> {
    this.#waiting = this.#waiting.filter((other) => other !== backend)
    await this.beside.unsafe('SELECT pg_cancel_backend($1)', [backend.pid])
    process.kill(backend.pid, 'SIGCONT')
    await backend.answered
    backend.endedAs = undefined
  }

  /** For whom each waits. */
  async #blockers(backends: readonly Backend[]): Promise<Map<number, number[]>> {
    const rows = await this.beside.unsafe(
      'SELECT pid, pg_blocking_pids(pid)::text AS by FROM unnest($1::text::int[]) AS pid',
      [`{${backends.map(({ pid }) => pid).join()}}`],
    )
    return new Map(rows.map(({ pid, by }: { pid: number; by: string }) => [pid, by.match(/\d+/g)?.map(Number) ?? []]))
  }
}

function waitsForItself(pid: number, blockers: Map<number, number[]>): boolean {
  const seen = new Set<number>()
  const next = [...(blockers.get(pid) ?? [])]
  for (let other = next.pop(); other !== undefined; other = next.pop()) {
    if (other === pid) return true
    if (seen.has(other)) continue
    seen.add(other)
    next.push(...(blockers.get(other) ?? []))
  }
  return false
}

/** As Bun passes it on. */
export const saidByPostgres = (errno: string, message: string) =>
  Object.assign(new Error(message), { code: 'ERR_POSTGRES_SERVER_ERROR', errno, name: 'PostgresError' })
