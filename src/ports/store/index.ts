/**
 * The store, by subject: interfaces of some ten methods each, the same for every database.
 *
 * The function of a transaction may run twice, since the database may ask for it. So it must touch nothing outside of
 * its transaction; effects that must happen once go to `afterCommit`. It must lock the rows that it reads to decide,
 * and those it changes. All transactions lock in one order: app, key, carrier (by name), people, invitation, phone,
 * idempotency record, issue, failures, notice, job, attempt,
 * absence, endpoint, webhook, wallet, incident, key ring, and last the audit log. Another order can deadlock.
 */

import type { NodeState } from '../../domain/operations/node'
import type { PoolUsage, StoreTelemetry } from '../telemetry'
import type { AdminReader, AdminTx } from './admin'
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
import type { AttemptReader, AttemptTx, IdempotencyTx, IssueReader, IssueTx, OutboxTx, ReportTx } from './issues'
import type { JobReader, JobTx } from './jobs'
import type { KeyRingReader, KeyRingTx } from './key-ring'
import type { NoticeReader, NoticeTx } from './notices'
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
import type { AbsenceTx, ErasureTx, FailureTx, PhoneReader } from './phones'
import type { RelayReader, RelayTx } from './relays'
import type { PriceReader, PriceTx } from './reports'
import type { RetentionTx } from './retention'
import type { TrafficLists, TrafficReader, TrafficTx } from './traffic'
import type { UsageReader, UsageTx, WalletReader, WalletTx } from './wallets'
import type { EndpointReader, EndpointTx, HookReader, HookTx } from './webhooks'

export interface Store {
  readonly read: Reader
  /** Lists and sums for people. They may lag behind `read`, so nothing is decided by them. */
  readonly lists: Lists
  /**
   * Runs `work` in a transaction and answers once its changes are on disk. Throws `unavailable` when they cannot be
   * stored.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Writes more than any request does. Throws when nothing can be stored. */
  assertWritable(): Promise<void>
  /** How many of its connections for changes are in use; undefined where it has none. */
  pool(): PoolUsage | undefined
  /**
   * Truncates the write-ahead log, so that no deleted data stays in it. False where another process reads or copies the log.
   */
  truncateLog(): Promise<boolean>
  /** Size of the write-ahead log in bytes, which grows between checkpoints; undefined where there is none. */
  logBytes(): number | undefined
  /** Reports its work to `telemetry` from now on. */
  setTelemetry(telemetry: StoreTelemetry): void
  close(): Promise<void>
}

/**
 * The methods of one transaction. `now` is fixed for its life. Only `tx` calls are awaited inside it.
 * A thrown error rolls all of it back; using it after it has ended throws.
 */
export interface Tx {
  /** Unix milliseconds, by the store's clock; known once a method has answered. */
  readonly now: number
  /** Runs once the transaction is on disk; not at all if it is rolled back. */
  afterCommit(effect: () => void): void

  readonly idempotency: IdempotencyTx
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
  readonly relays: RelayTx
  readonly keys: KeyTx
  readonly templates: TemplateTx
  readonly carriers: CarrierTx
  readonly routes: RouteTx
  readonly people: PeopleTx
  readonly sessions: SessionTx
  readonly invitations: InvitationTx
  readonly admin: AdminTx
  readonly audit: AuditTx
  readonly usage: UsageTx
  readonly prices: PriceTx
  readonly traffic: TrafficTx
  readonly notices: NoticeTx
  readonly retention: RetentionTx
  readonly erasures: ErasureTx
  readonly absences: AbsenceTx
  readonly keyRing: KeyRingTx
}

/** Reads of committed data, outside of any transaction. Throw `unavailable` when it cannot be read. */
export interface Reader {
  readonly issues: IssueReader
  readonly jobs: JobReader
  readonly attempts: AttemptReader
  readonly wallets: WalletReader
  readonly endpoints: EndpointReader
  readonly hooks: HookReader
  readonly apps: AppReader
  readonly challenges: ChallengeReader
  readonly relays: RelayReader
  readonly keys: KeyReader
  readonly templates: TemplateReader
  readonly carriers: CarrierReader
  readonly routes: RouteReader
  readonly people: PeopleReader
  readonly sessions: SessionReader
  readonly invitations: InvitationReader
  readonly admin: AdminReader
  readonly audit: AuditReader
  readonly prices: PriceReader
  readonly traffic: TrafficReader
  readonly notices: NoticeReader
  readonly phones: PhoneReader
  readonly keyRing: KeyRingReader
  /** Tells this installation from others; hexadecimal digits. */
  installation(): Promise<string>
  /** Changes whenever keys, apps, challenges, templates, carriers or routes may have changed, in whatever process. */
  settingsVersion(): Promise<string>
  /** The servers that share it, in the order of their ids; none where one has it for itself. */
  nodes(): Promise<NodeState[]>
  /** Size of the database, bytes. */
  size(): Promise<number>
  /** How far the clock was set back since a time, in all; milliseconds. */
  clockSetBackMs(since: number): Promise<number>
}

/** Lists, usage and exports of console and command line. */
export interface Lists {
  readonly issues: Pick<IssueReader, 'page' | 'search'>
  readonly wallets: Pick<WalletReader, 'ledger'>
  readonly hooks: Pick<HookReader, 'page' | 'attempts'>
  readonly audit: Pick<AuditReader, 'page'>
  readonly usage: UsageReader
  readonly traffic: TrafficLists
}
