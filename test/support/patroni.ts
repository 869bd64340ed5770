/**
 * A PostgreSQL of two members that Patroni keeps, with a third who only votes, and an HAProxy that leads to whichever leads;
 * Debian's packages `postgresql`, `patroni`, `python3-pysyncobj` and `haproxy` bring it. The members find each other by
 * Patroni's own raft: nothing else is needed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SQL } from 'bun'
import { freePort } from './free-port'
import { HAProxy } from './haproxy'
import { asNobody, ENVIRONMENT, endingWithUs, removeAtTheEnd, scratch } from './postgres'

const DEBIAN = '/usr/lib/postgresql'
/** In seconds, sooner than usual: who leads and says nothing for `ttl` leads no more; a turn and two tries fit into it. */
const TIMES = { ttl: 12, loop_wait: 1, retry_timeout: 5 }
/** A member that comes back undoes what the other has not, and follows. */
const WHOLE_WITHIN_MS = 120_000
/** Longer than it takes until the other leads. */
const AWAY_MS = 30_000
const DEAF_MS = 1_000
const LOOK_MS = 100
const LOOKS_FOR_MS = 2_000

export class Patroni {
  /** How often another one led. */
  takeovers = 0
  readonly #programs: readonly Program[]

  private constructor(
    private readonly members: readonly [Member, Member],
    voter: Program,
    private readonly proxy: HAProxy,
  ) {
    this.#programs = [...members, voter]
  }

  static async start(settings: Record<string, string>): Promise<Patroni> {
    const [one, two, third] = [freePort(), freePort(), freePort()]
    const raft = (self: number) => ({
      self_addr: at(self),
      partner_addrs: [one, two, third].filter((port) => port !== self).map(at),
    })
    const members = [await Member.of('one', raft(one), settings), await Member.of('two', raft(two), settings)] as const
    const voter = new Program('patroni_raft_controller', 'third', (dir) => ({
      raft: { data_dir: dir, ...raft(third) },
    }))
    const proxy = await HAProxy.start(members)
    const cluster = new Patroni([...members], voter, proxy)
    try {
      for (const program of cluster.#programs) program.run()
      await cluster.#becomeWhole()
    } catch (error) {
      await cluster.stop()
      throw error
    }
    return cluster
  }

  get port(): number {
    return this.proxy.port
  }

  url(): string {
    return `postgres://postgres@${at(this.port)}/postgres`
  }

  /** Patroni finds it gone and starts it again, or lets the other lead. */
  async crash(): Promise<void> {
    const leader = await this.#leader()
    leader.killPostgres()
    await this.#becomeWhole()
  }

  /** Its machine is gone, after a second of which nobody else has heard, and comes back when another one leads. */
  async killLeader(): Promise<void> {
    const leader = await this.#leader()
    const hear = await this.#otherThan(leader).deafen()
    await Bun.sleep(DEAF_MS)
    await leader.kill()
    leader.killPostgres()
    hear()
    await this.#comeBack(leader)
  }

  /** It goes on without Patroni, as if it still led. */
  async leaveLeaderAlone(): Promise<void> {
    const leader = await this.#leader()
    await leader.kill()
    await this.#comeBack(leader)
  }

  async handOver(): Promise<void> {
    const leader = await this.#leader()
    const other = this.#otherThan(leader)
    await this.#until(async () => (await leader.handOver()).ok || (await other.leads()), `${leader.name} to hand over`)
    this.takeovers++
    await this.#becomeWhole()
  }

  async stop(): Promise<void> {
    await this.proxy.stop()
    for (const program of this.#programs) await program.stop()
  }

  /** It is away until the other leads, or for long: where the other may lack something, Patroni waits for it. */
  async #comeBack(fallen: Member): Promise<void> {
    const other = this.#otherThan(fallen)
    const comesBackAt = performance.now() + AWAY_MS
    while (!(await other.leads()) && performance.now() < comesBackAt) await Bun.sleep(LOOK_MS)
    if (await other.leads()) this.takeovers++
    fallen.run()
    await this.#becomeWhole()
  }

  #otherThan(member: Member): Member {
    const [one, two] = this.members
    return member === one ? two : one
  }

  /** One leads, the other is known to have all that it has, and the proxy leads to the first. */
  #becomeWhole(): Promise<void> {
    return this.#until(async () => {
      const leader = await this.#leading()
      if (!leader) return false
      const follower = this.#otherThan(leader)
      return (await leader.knowsAsSynchronous(follower)) && (await this.#waitsFor(follower))
    }, 'the cluster to be whole')
  }

  /** Whether who answers behind the proxy confirms nothing that the follower has not got. */
  async #waitsFor({ name }: Member): Promise<boolean> {
    const sql = new SQL(this.url(), { max: 1, connectionTimeout: 2 })
    try {
      const [{ names }] =
        await sql`SELECT current_setting('synchronous_standby_names') AS names WHERE NOT pg_is_in_recovery()`
      return names.includes(name)
    } catch {
      return false
    } finally {
      await sql.close()
    }
  }

  async #leading(): Promise<Member | undefined> {
    for (const member of this.members) if (await member.leads()) return member
    return undefined
  }

  async #leader(): Promise<Member> {
    const leader = await this.#leading()
    if (!leader) throw new Error('Nobody leads')
    return leader
  }

  async #until(isTrue: () => Promise<boolean>, what: string): Promise<void> {
    const deadline = performance.now() + WHOLE_WITHIN_MS
    while (!(await isTrue())) {
      if (performance.now() > deadline)
        throw new Error(`Waited for ${what}:\n${this.#programs.map((program) => program.lastWords()).join('\n')}`)
      await Bun.sleep(LOOK_MS)
    }
  }
}

/** What Patroni tells of a member. */
interface Known {
  name: string
  role: string
}

/** A program of Patroni's, with a folder of its own. */
class Program {
  readonly dir: string
  #process: ChildProcess | undefined

  constructor(
    private readonly command: string,
    readonly name: string,
    configuration: (dir: string) => object,
  ) {
    if (!Bun.which(command)) throw new Error(`There is no ${command} here: apt install patroni python3-pysyncobj`)
    this.dir = mkdtempSync(join(scratch, `watchword-patroni-${name}-`))
    chmodSync(this.dir, 0o700)
    removeAtTheEnd(this.dir)
    // JSON is YAML.
    writeFileSync(this.#file, JSON.stringify(configuration(this.dir), null, 2))
    if (asNobody.uid !== undefined) chownSync(this.dir, asNobody.uid, asNobody.gid)
  }

  run(): void {
    const log = openSync(this.#log, 'a')
    // Its PostgreSQL ends with it.
    const [program = '', ...args] = endingWithUs('TERM', [this.command, this.#file])
    this.#process = spawn(program, args, { ...asNobody, cwd: this.dir, env: ENVIRONMENT, stdio: ['ignore', log, log] })
    closeSync(log)
  }

  async kill(): Promise<void> {
    const running = this.#process
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGKILL')
    await ended
  }

  async stop(): Promise<void> {
    await this.kill()
    await rm(this.dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }

  lastWords(): string {
    return `${this.name}:\n${readFileSync(this.#log, 'utf8').split('\n').slice(-15).join('\n')}`
  }

  get #file(): string {
    return join(this.dir, 'patroni.yml')
  }

  get #log(): string {
    return join(this.dir, 'log')
  }
}

class Member extends Program {
  private constructor(
    name: string,
    readonly port: number,
    readonly checkPort: number,
    configuration: (dir: string) => object,
  ) {
    super('patroni', name, configuration)
  }

  static async of(name: string, raft: object, settings: Record<string, string>): Promise<Member> {
    const [port, checkPort] = [freePort(), freePort()]
    return new Member(name, port, checkPort, (dir) => ({
      ...{ scope: 'watchword', name, raft: { data_dir: dir, ...raft } },
      restapi: { listen: at(checkPort), connect_address: at(checkPort) },
      bootstrap: {
        dcs: {
          ...TIMES,
          synchronous_mode: true,
          synchronous_mode_strict: true,
          postgresql: { use_pg_rewind: true, parameters: settings },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
        pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      },
      postgresql: {
        ...{ listen: at(port), connect_address: at(port), data_dir: join(dir, 'data'), bin_dir: newestOfDebian() },
        ...{ pgpass: join(dir, 'pgpass'), parameters: { unix_socket_directories: '' } },
        authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
      },
    }))
  }

  async leads(): Promise<boolean> {
    return (await this.#look('/primary'))?.status === 200
  }

  async knowsAsSynchronous({ name }: Member): Promise<boolean> {
    const cluster = (await (await this.#look('/cluster'))?.json()) as { members: Known[] } | undefined
    return cluster?.members.some((member) => member.name === name && member.role === 'sync_standby') ?? false
  }

  handOver(): Promise<Response> {
    const body = JSON.stringify({ leader: this.name })
    return fetch(`http://${at(this.checkPort)}/switchover`, { method: 'POST', body })
  }

  /** Undefined where it is away. */
  #look(path: string): Promise<Response | undefined> {
    const signal = AbortSignal.timeout(LOOKS_FOR_MS)
    return fetch(`http://${at(this.checkPort)}${path}`, { signal }).catch(() => undefined)
  }

  /** Nothing arrives of what the leader does; answers how to end that, and then what is on its way is gone. */
  async deafen(): Promise<() => void> {
    const sql = new SQL(`postgres://postgres@${at(this.port)}/postgres`, { max: 1 })
    const receivers: { pid: number }[] = await sql`SELECT pid FROM pg_stat_wal_receiver`
    await sql.close()
    const tell = (signal: NodeJS.Signals) => {
      for (const { pid } of receivers) process.kill(pid, signal)
    }
    tell('SIGSTOP')
    return () => {
      tell('SIGTERM')
      tell('SIGCONT')
    }
  }

  /** Those it has started end with it. */
  killPostgres(): void {
    try {
      const pid = Number(readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n')[0])
      // Where it has ended, another process may have its number.
      if (readlinkSync(`/proc/${pid}/cwd`) === this.#data) process.kill(pid, 'SIGKILL')
    } catch {
      // There is none.
    }
  }

  get #data(): string {
    return join(this.dir, 'data')
  }

  override async stop(): Promise<void> {
    await this.kill()
    this.killPostgres()
    await super.stop()
  }
}

const at = (port: number) => `127.0.0.1:${port}`

function newestOfDebian(): string {
  const [newest] = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  if (!newest) throw new Error('There is no PostgreSQL of Debian here: apt install postgresql')
  return join(DEBIAN, newest, 'bin')
}
