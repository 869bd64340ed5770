/** A PgBouncer in front of a PostgreSQL of the test; Debian's package `pgbouncer` brings it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port'
import { asNobody, listens } from './postgres'

interface PoolerOptions {
  mode?: 'session' | 'transaction'
  /** Connections to the database. */
  size?: number
}

export class PgBouncer {
  readonly #dir = mkdtempSync(join(tmpdir(), 'watchword-pgbouncer-'))
  #process: ChildProcess | undefined

  private constructor(
    readonly port: number,
    private readonly options: PoolerOptions,
  ) {
    chmodSync(this.#dir, 0o755)
  }

  static async start(target: number, options: PoolerOptions = {}): Promise<PgBouncer> {
    const program = Bun.which('pgbouncer', { PATH: `${process.env.PATH}:/usr/sbin` })
    if (!program) throw new Error('There is no pgbouncer here: apt install pgbouncer')
    const pooler = new PgBouncer(freePort(), options)
    pooler.#configure(target)
    pooler.#process = spawn(program, [pooler.#file], { ...asNobody, stdio: 'ignore' })
    while (!(await listens(pooler.port))) await Bun.sleep(25)
    return pooler
  }

  /** From now on it leads there. */
  aim(target: number): void {
    this.#configure(target)
    this.#process?.kill('SIGHUP')
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process?.once('exit', resolve))
    this.#process?.kill('SIGKILL')
    await ended
    rmSync(this.#dir, { recursive: true, force: true })
  }

  get #file(): string {
    return join(this.#dir, 'pgbouncer.ini')
  }

  /** As docs/several-servers.md says. */
  #configure(target: number): void {
    const { mode = 'session', size = 100 } = this.options
    const users = join(this.#dir, 'users.txt')
    writeFileSync(users, '"postgres" ""\n')
    const lines = [
      ...['[databases]', `* = host=127.0.0.1 port=${target}`, '[pgbouncer]'],
      ...[
        'listen_addr = 127.0.0.1',
        `listen_port = ${this.port}`,
        'unix_socket_dir =',
        'auth_type = trust',
        `auth_file = ${users}`,
      ],
      ...[`pool_mode = ${mode}`, `default_pool_size = ${size}`, 'max_client_conn = 1000'],
      'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout',
      ...['server_login_retry = 1', 'query_wait_timeout = 15'],
    ]
    writeFileSync(this.#file, `${lines.join('\n')}\n`)
  }
}
