/** Connections to PostgreSQL: transactions reserve one each, reads share theirs. */
import { readFileSync } from 'node:fs'
import { type ReservedSQL, SQL } from 'bun'
import type { Clock } from '../../../ports/clock'
import { POSTGRES } from '../../dialect'
import type { Querying } from '../../session'
import type { Statement, Values } from '../../statement'
import { isLost, poolerFailureIn, readFailure } from './failure'
import { nameOf } from './name'
import type { Wire } from './pipelined-transaction'
import { storable } from './transaction'

const STATEMENT_TIMEOUT_MS = 15_000
/** A connection silent for this long counts as lost, whatever the network reports. */
export const SILENCE_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 3_000
/** Ends the transactions of a server that hangs, so that its locks are released. */
const IDLE_IN_TRANSACTION_MS = 20_000
const CONNECT_TIMEOUT_SEC = 5

export interface PoolOptions {
  /** With credentials; `sslmode` and `sslrootcert` mean what they mean to libpq. */
  url: string
  /** Connections for transactions. */
  size: number
}

/** Connections for reads: half as many as for transactions. */
export const readersOf = (size: number) => Math.ceil(size / 2)

export function connect({ url, size }: PoolOptions, name: string): SQL {
  return new SQL({
    ...addressOf(url),
    max: size,
    connectionTimeout: CONNECT_TIMEOUT_SEC,
    idleTimeout: 0,
    maxLifetime: 0,
    connection: {
      application_name: name,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    },
  })
}

export class UnreachableError extends Error {
  override name = 'UnreachableError'
}

/** Adds the address to an error of the driver, which does not name it. */
export function withAddress(url: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const said = poolerFailureIn(error) ?? (isLost(error) ? `does not answer: ${error.message}` : undefined)
  return said === undefined ? error : new UnreachableError(`${nameOf(url)} ${said}`, { cause: error })
}

interface Tls {
  rejectUnauthorized: boolean
  ca?: string
  checkServerIdentity?: () => undefined
}

/** TLS options by `sslmode`. Only `verify-full` checks both certificate and name, and so prevents impersonation. */
export function addressOf(text: string): { url: string; tls?: Tls } {
  const url = new URL(text)
  const mode = url.searchParams.get('sslmode') ?? 'prefer'
  const root = url.searchParams.get('sslrootcert')
  for (const name of ['sslmode', 'sslrootcert']) url.searchParams.delete(name)
  const ca = root && root !== 'system' ? readFileSync(root, 'utf8') : undefined
  if (mode === 'disable' || mode === 'prefer') return { url: url.href }
  if (mode === 'require' && !ca) return { url: url.href, tls: { rejectUnauthorized: false } }
  const checksName = mode === 'verify-full'
  return {
    url: url.href,
    tls: { rejectUnauthorized: true, ...(ca && { ca }), ...(!checksName && { checkServerIdentity: () => undefined }) },
  }
}

/** The checks of the server's certificate. */
export type TlsVerification = 'no TLS' | 'nothing' | 'the certificate' | 'certificate and name'

export function tlsVerificationOf(text: string): TlsVerification {
  const { tls } = addressOf(text)
  if (!tls) return 'no TLS'
  if (!tls.rejectUnauthorized) return 'nothing'
  return tls.checkServerIdentity ? 'the certificate' : 'certificate and name'
}

/** Bun prepares and pipelines statements without parameters only if they come as a template string. */
const TEMPLATES = new Map<string, TemplateStringsArray>()

export function templateOf(text: string): TemplateStringsArray {
  const known = TEMPLATES.get(text)
  if (known) return known
  const template = Object.defineProperty([text], 'raw', { value: [text] }) as unknown as TemplateStringsArray
  TEMPLATES.set(text, template)
  return template
}

export const wireOf = (connection: ReservedSQL | SQL): Wire => ({
  unsafe: (text, values = []) =>
    (values.length > 0 ? connection.unsafe(text, values) : connection(templateOf(text))) as ReturnType<Wire['unsafe']>,
})

/** Reads of committed data. If one connection goes silent, all are replaced and pending reads run again on new ones. */
export class ReadPool implements Querying {
  readonly dialect = POSTGRES
  #sql: SQL

  constructor(
    private readonly connect: () => SQL,
    private readonly clock: Pick<Clock, 'after'>,
  ) {
    this.#sql = connect()
  }

  async all<Row>(statement: Statement<Row>, values: Values = {}): Promise<Row[]> {
    try {
      const rows = await this.#ask(statement, values).catch((error) => {
        // A read can be repeated safely on the next connection.
        if (isLost(error)) return this.#ask(statement, values)
        throw error
      })
      return rows.map((row) => statement.read(row))
    } catch (error) {
      throw readFailure(error)
    }
  }

  async get<Row>(statement: Statement<Row>, values: Values = {}): Promise<Row | undefined> {
    return (await this.all(statement, values))[0]
  }

  close(): Promise<void> {
    return this.#sql.close()
  }

  async #ask(statement: Statement<unknown>, values: Values): Promise<unknown[][]> {
    const sql = this.#sql
    const cancel = this.clock.after(SILENCE_TIMEOUT_MS, () => this.#renew(sql))
    try {
      return await wireOf(sql)
        .unsafe(statement.text, storable(statement.bind(values)))
        .values()
    } finally {
      cancel()
    }
  }

  #renew(silent: SQL): void {
    if (this.#sql !== silent) return
    this.#sql = this.connect()
    end(silent)
  }
}

/** Closes at once; pending queries are rejected. */
export const end = (connection: SQL | ReservedSQL): void => {
  connection.close({ timeout: 0 }).catch(() => {})
}
