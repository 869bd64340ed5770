/**
 * What is kept, by subject: doors of some ten methods each, the same for every database.
 *
 * A **unit** is one transaction: all of it is stored, or nothing. It may run twice (the database may ask for it), so it
 * touches nothing outside of its transaction; what is to happen once goes to `afterCommit`. What it decides by and changes
 * it has locked, in one order: app, key, carrier (by name), people, invitation, phone, claim, issue, failures, job, attempt, endpoint,
 * webhook, wallet, incident, key ring, and last the audit log. Whoever locks in another order can wait for somebody who waits for them.
 */
import type { NodeState } from '../../domain/operations/node'
import type { PoolUsage, StoreTelemetry } from '../telemetry'
import type {
  AppReader,
  AppTx,
  CarrierReader,
  CarrierTx,
  ChallengeReader,
  ChallengeTx,
  KeyReader,
  KeyTx,
  RouteReader,
  RouteTx,
  TemplateReader,
  TemplateTx,
} from './apps'
import type { AttemptReader, AttemptTx, ClaimTx, IssueReader, IssueTx, OutboxTx, ReportTx } from './issues'
import type { ClockTx, JobReader, JobTx } from './jobs'
import type {
  AuditReader,
  AuditTx,
  InvitationReader,
  InvitationTx,
  PeopleReader,
  PeopleTx,
  SessionReader,
  SessionTx,
} from './people'
import type { ErasureTx, FailureTx, PhoneReader } from './phones'
import type { RetentionTx } from './retention'
import type { RingReader, RingTx } from './ring'
import type { TrafficLists, TrafficReader, TrafficTx } from './traffic'
import type { UsageReader, UsageTx, WalletReader, WalletTx } from './wallets'
import type { EndpointReader, EndpointTx, HookReader, HookTx } from './webhooks'

export interface Store {
  readonly read: Reader
  /** What people page through and add up; it may be behind `read` for a while, so nothing is decided by it. */
  readonly lists: Lists
  /** Runs `unit` and answers once its changes are on disk. Throws `unavailable` when they cannot be stored. */
  transaction<T>(unit: (tx: Tx) => Promise<T>, manner?: TransactionOptions): Promise<T>
  /** Writes more than any request does. Throws when nothing can be stored. */
  assertWritable(): Promise<void>
  /** How many of its connections for changes are in use; undefined where it has none. */
  pool(): PoolUsage | undefined
  /**
   * Leaves nothing in the write-ahead log of what has been deleted, where the store has one beside it. False where somebody
   * else reads or copies it.
   */
  truncateLog(): Promise<boolean>
  /** Bytes of the write-ahead log beside the database, which grow while nothing copies it; undefined where there is none. */
  logBytes(): number | undefined
  /** Tells how it works from now on. */
  tell(telemetry: StoreTelemetry): void
  close(): Promise<void>
}

/** How a unit may be run. */
export interface TransactionOptions {
  /**
   * It is one of many of its kind and waits for nothing but the store: others may be stored together with it. Each of them is
   * kept from the others as if it were alone, is stored or not by itself, and is answered once it is on disk.
   */
  mayShare?: boolean | undefined
}

/**
 * One unit. `now` is fixed for its life. Only `tx` calls are awaited inside it.
 * A thrown error rolls all of it back; using it after it has ended throws.
 */
export interface Tx {
  /** Unix milliseconds, by the store's clock; known once a door has answered. */
  readonly now: number
  /** Runs once the transaction is on disk; not at all if it is rolled back. */
  afterCommit(effect: () => void): void

  readonly claims: ClaimTx
  readonly issues: IssueTx
  readonly failures: FailureTx
  readonly outbox: OutboxTx
  readonly jobs: JobTx
  readonly attempts: AttemptTx
  readonly reports: ReportTx
  readonly wallets: WalletTx
  readonly endpoints: EndpointTx
  readonly hooks: HookTx
  readonly apps: AppTx
  readonly challenges: ChallengeTx
  readonly keys: KeyTx
  readonly templates: TemplateTx
  readonly carriers: CarrierTx
  readonly routes: RouteTx
  readonly people: PeopleTx
  readonly sessions: SessionTx
  readonly invitations: InvitationTx
  readonly audit: AuditTx
  readonly usage: UsageTx
  readonly traffic: TrafficTx
  readonly retention: RetentionTx
  readonly erasures: ErasureTx
  readonly clock: ClockTx
  readonly ring: RingTx
}

/** Reads of committed data, outside of any unit. Throw `unavailable` when it cannot be read. */
export interface Reader {
  readonly issues: IssueReader
  readonly jobs: JobReader
  readonly attempts: AttemptReader
  readonly wallets: WalletReader
  readonly endpoints: EndpointReader
  readonly hooks: HookReader
  readonly apps: AppReader
  readonly challenges: ChallengeReader
  readonly keys: KeyReader
  readonly templates: TemplateReader
  readonly carriers: CarrierReader
  readonly routes: RouteReader
  readonly people: PeopleReader
  readonly sessions: SessionReader
  readonly invitations: InvitationReader
  readonly audit: AuditReader
  readonly traffic: TrafficReader
  readonly phones: PhoneReader
  readonly ring: RingReader
  /** Tells this installation from others; hexadecimal digits. */
  installation(): Promise<string>
  /** Changes whenever keys, apps, challenges, templates, carriers or routes may have changed, in whatever process. */
  settingsVersion(): Promise<string>
  /** The servers that share it, in the order of their ids; none where one has it for itself. */
  nodes(): Promise<NodeState[]>
  /** What is stored, in bytes. */
  size(): Promise<number>
}

/** Lists, usage and exports of console and command line. */
export interface Lists {
  readonly issues: Pick<IssueReader, 'page'>
  readonly wallets: Pick<WalletReader, 'ledger'>
  readonly hooks: Pick<HookReader, 'page' | 'attempts'>
  readonly audit: Pick<AuditReader, 'page'>
  readonly usage: UsageReader
  readonly traffic: TrafficLists
}
