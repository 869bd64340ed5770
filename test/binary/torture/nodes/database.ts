/** The database of servers that are tortured: what befalls it, and where it is then. */
import { Patroni } from '../../../support/patroni'
import { Postgres } from '../../../support/postgres'

export type Blow =
  | 'the database crashes'
  | 'the replica takes over'
  | 'the leader crashes'
  | 'the leader is killed'
  | 'the leader is left alone'
  | 'the leader hands over'

/** One for itself, one whose replica takes over by the test's own hand, or two that Patroni keeps. */
export type Kind = 'alone' | 'replica' | 'patroni'

export interface Database {
  readonly port: number
  /** How often another one led. */
  readonly takeovers: number
  readonly blows: readonly Blow[]
  url(): string
  /** Over when it could befall it again. `lead`: who asks at another port from now on. */
  befall(blow: Blow, forMs: number, lead: (port: number) => void): Promise<void>
  stop(): Promise<void>
}

/** Who leads next may not know what became of a commit. */
export const isForgetful = (blow: Blow) => blow !== 'the database crashes'

/** What it is told to do is no news. */
const SETTINGS = { wal_keep_size: '1GB', wal_retrieve_retry_interval: '500ms', log_min_messages: 'panic' }

export async function startDatabase(kind: Kind): Promise<Database> {
  if (kind === 'patroni') return new Kept(await Patroni.start(SETTINGS))
  const postgres = await Postgres.start({ isDurable: true, settings: SETTINGS })
  return kind === 'alone' ? new Alone(postgres) : new Followed(postgres, await postgres.replica())
}

class Alone implements Database {
  readonly blows: readonly Blow[] = ['the database crashes']
  takeovers = 0

  constructor(protected postgres: Postgres) {}

  get port(): number {
    return this.postgres.port
  }

  url(): string {
    return this.postgres.url()
  }

  async befall(_: Blow, forMs: number, _lead: (port: number) => void): Promise<void> {
    await this.postgres.halt('immediate')
    await Bun.sleep(forMs)
    await this.postgres.run()
  }

  stop(): Promise<void> {
    return this.postgres.stop()
  }
}

class Followed extends Alone {
  override readonly blows: readonly Blow[] = ['the database crashes', 'the replica takes over']

  constructor(
    postgres: Postgres,
    private replica: Postgres,
  ) {
    super(postgres)
  }

  override async befall(blow: Blow, forMs: number, lead: (port: number) => void): Promise<void> {
    if (blow !== 'the replica takes over') return super.befall(blow, forMs, lead)
    const [fallen, next] = [this.postgres, this.replica]
    await fallen.halt('immediate')
    await next.promote()
    this.postgres = next
    this.takeovers++
    lead(next.port)
    this.replica = await next.replica()
    await fallen.stop()
  }

  override async stop(): Promise<void> {
    await Promise.all([this.postgres.stop(), this.replica.stop()])
  }
}

class Kept implements Database {
  readonly blows: readonly Blow[] = [
    'the leader crashes',
    'the leader is killed',
    'the leader is left alone',
    'the leader hands over',
  ]

  constructor(private readonly patroni: Patroni) {}

  get port(): number {
    return this.patroni.port
  }

  get takeovers(): number {
    return this.patroni.takeovers
  }

  url(): string {
    return this.patroni.url()
  }

  befall(blow: Blow): Promise<void> {
    switch (blow) {
      case 'the leader is killed':
        return this.patroni.killLeader()
      case 'the leader is left alone':
        return this.patroni.leaveLeaderAlone()
      case 'the leader hands over':
        return this.patroni.handOver()
      default:
        return this.patroni.crash()
    }
  }

  stop(): Promise<void> {
    return this.patroni.stop()
  }
}
