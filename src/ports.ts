/** The outside world, as the use cases see it. Real ports live in `system/`, `store/` and `providers/`; tests bring their own. */
import type { EventType } from '../contract/event'
import type { AuditHead } from './domain/audit-head'
import type { Health } from './domain/breaker'
import type { Allowance } from './domain/browser-key'
import type { DeliveryReport, SendOutcome } from './domain/delivery'
import type { Gate } from './domain/gate'
import type { Issue, VerificationStatus } from './domain/issue'
import type { Job, JobKind } from './domain/job'
import type { ApiKey } from './domain/key'
import type { Invitation, Operator, OperatorSession } from './domain/operator'
import type { Retry, Route } from './domain/route'
import type { Template } from './domain/template'
import type { UsageRow } from './domain/usage'
import type { Channel, Leg, MessageType, Mode, Owner } from './domain/value'
import type { EntryType, LedgerEntry, Wallet } from './domain/wallet'
import type { Endpoint, HookAttempt, HookDelivery } from './domain/webhook'

export interface Clock {
  /** Unix milliseconds. May step, also backwards. */
  now(): number
  /** Milliseconds since some moment; never steps, never goes back. */
  elapsed(): number
  /** Calls once after `delayMs`; the answer cancels. */
  after(delayMs: number, callback: () => void): () => void
}

export interface Random {
  bytes(length: number): Uint8Array
  /** Uniform over 0 … max − 1, from a cryptographic source. */
  below(max: number): number
  /** A time-ordered UUIDv7 of that instant. */
  uuid(now: number): string
}

/** argon2id; slow on purpose. */
export interface Passwords {
  hash(password: string): Promise<string>
  /** In constant time; also where `hash` is undefined, so that nobody learns by the time which accounts exist. */
  verify(password: string, hash: string | undefined): Promise<boolean>
}

/** Calls at the times of a cron pattern; the answer stops it. */
export type Schedule = (pattern: string, run: () => Promise<void>) => () => void

/** Keyed hashes and sealing, all under keys derived from the master secret. */
export interface Vault {
  phoneHash(identity: string): Uint8Array
  codeHash(issueId: string, code: string): Uint8Array
  /** Of an idempotency key. */
  claimHash(key: string): Uint8Array
  fingerprint(text: string): Uint8Array
  /** Of an entry of the audit log and the hash before it. */
  auditHash(text: string): Uint8Array
  /** Of an address somebody signs in from. */
  addressHash(text: string): Uint8Array
  /** 32 bytes that a key is written from which can be shown again. */
  standingKey(use: string): Uint8Array
  /** Short authentication tag, for cursors. */
  tag(text: string): Uint8Array
  /** AES-256-GCM; `rowId` is bound as associated data, so a sealed row cannot be moved. */
  seal(rowId: string, text: string): Uint8Array
  /** Throws if `sealed` was not sealed for this row with this secret. */
  open(rowId: string, sealed: Uint8Array): string
}

export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** What every connection of this process takes one of. */
export interface Descriptors {
  /** So few are left that clients get no more of them. */
  areShort(): boolean
}

/** What came of an HTTP request to a provider. Whether the request may have arrived is what matters. */
export type TransportResult =
  | { kind: 'answered'; status: number; headers: Record<string, string>; body: string }
  /** Surely not received: the connection failed before a byte of the request was written. */
  | { kind: 'not_sent'; reason: string }
  /** Timeout or reset after the request was (or may have been) written, or an answer that could not be read. */
  | { kind: 'unknown'; reason: string }

export interface Transport {
  request(request: {
    method: string
    url: string
    headers: Record<string, string>
    body?: string
    timeoutMs: number
  }): Promise<TransportResult>
}

/** One POST to a receiver of webhooks; follows nothing, keeps nothing. Never throws for what the outside did. */
export interface HookTransport {
  post(request: HookRequest): Promise<HookAnswer>
}

export interface HookRequest {
  url: string
  headers: Record<string, string>
  body: string
  /** For all of it, from the name to the end of the answer. */
  timeoutMs: number
}

export type HookAnswer =
  /** The status is the answer: a body that is too long, too slow or cut off only ends early. */
  | {
      kind: 'answered'
      status: number
      location: string | undefined
      retryAfter: string | undefined
      /** The first KiB. */
      body: string
    }
  /** Nothing was sent: no address of the host may be reached. Does not say which, so that nobody maps a network by it. */
  | { kind: 'forbidden'; reason: 'address' }
  | { kind: 'failed'; reason: HookFailure }

/**
 * Short and stable, quoting nothing of what the outside said. Nothing was sent in case of `url`, `header`, `dns`,
 * `refused`, `unreachable` and `tls`; the rest says nothing about it.
 */
export type HookFailure =
  | 'url'
  | 'header'
  | 'dns'
  | 'refused'
  | 'unreachable'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'protocol'
  | 'oversized'

/** A byte stream to a carrier that does not speak HTTP. */
export interface Connection {
  write(bytes: Uint8Array): void
  /** At once. */
  destroy(): void
}

/** Nothing is called before `dial` has returned. `closed` is the last call, also where `opened` never was. */
export type Dial = (
  to: { host: string; port: number; tls: { ca: string | undefined } | undefined },
  on: { opened(): void; received(bytes: Uint8Array): void; closed(reason: string): void },
) => Connection

/** What delivery needs to know and nothing else may hold: number and text, rendered once at admission. */
export interface Letter {
  to: string
  text: string
  code: string
  from: string | undefined
  messageType: MessageType
  templateCode: string
  variables: Readonly<Record<string, string>>
  scenario: number | undefined
}

/** One message as a provider gets it. */
export interface OutboundMessage {
  messageId: string
  channel: Leg
  /** E.164. */
  to: string
  text: string
  from?: string
  /** `sms` channel only. */
  messageType?: MessageType
  /** AlimTalk only: the provider's code of the template, and its variables with `code` among them. */
  templateCode?: string
  variables?: Record<string, string>
  /** An SMS that takes over from a failed AlimTalk. */
  isFallback: boolean
  /** When the code expires, Unix milliseconds: sending later is useless. */
  expiresAt: number
  /** Test mode: what the simulator must play. */
  scenario?: number
}

/** A carrier, or what plays one. */
export interface Provider {
  readonly name: string
  /** Whether it ever tells what became of a message, by callback or by `query`. */
  readonly reports: boolean
  /** How many messages it can have in the air by its nature, where that is known. */
  readonly concurrency?: number
  /** Never throws for what the outside did; see `SendOutcome` for the four outcomes. */
  send(message: OutboundMessage): Promise<SendOutcome>
  /** Asks for a message's fate; `askAgainMs` when it is not decided yet. */
  query?(message: AwaitedReport): Promise<DeliveryReport | { askAgainMs: number }>
  /** Reads a report callback; undefined when it is not authentic. Throws `invalid` when it cannot be read. */
  readReports?(callback: ReportCallback): ReportedMessage[] | undefined
  /** Ends what it holds open; a send after that is refused. */
  close?(): Promise<void>
}

/** A provider and the way in to it. */
export interface Carrier {
  readonly provider: Provider
  readonly gate: Gate
}

/** Carriers for a message, in order of preference; empty: the channel cannot be served. */
export type Router = (whom: { channel: Channel; appId: string; country: string | undefined }) => readonly Carrier[]

export interface ReportCallback {
  /** As the provider called it, query included; some sign it. */
  url: string
  headers: Headers
  query: URLSearchParams
  /** The body, at most 64 KiB. */
  text: string
}

export interface ReportedMessage extends DeliveryReport {
  /** The provider's id of the message, or the `messageId` we sent along. */
  messageId: string
  /** The provider's id, where `messageId` is ours. */
  providerMessageId?: string
  /** The callback proves nothing (an unsigned vendor): ask the provider before believing it. */
  mustAsk?: boolean
}

/** A configured provider; `config` holds its credentials and is stored sealed. */
export interface ProviderConfig {
  name: string
  type: string
  channels: readonly Channel[]
  config: Record<string, unknown>
  createdAt: number
  /** Messages in the air at a time; undefined: the installation's setting. */
  concurrency?: number | undefined
  /** How long it may take to answer; undefined: the installation's setting. */
  timeoutMs?: number | undefined
  /** Set anew, even to the same, it starts afresh and healthy. */
  changedAt?: number
}

/** One call of a provider. */
export interface Attempt extends Owner {
  readonly issueId: string
  /** From 1, over all legs. */
  readonly number: number
  readonly leg: Leg
  readonly provider: string
  readonly messageId: string
  readonly calledAt: number
  readonly answeredAt: number | undefined
  /** Undefined while the provider is being called; then never again. */
  readonly outcome: SendOutcome['kind'] | undefined
  /** Of a refusal: whether trying again makes sense. */
  readonly retry: Retry | undefined
  readonly code: string | undefined
  readonly providerMessageId: string | undefined
}

/** A message whose fate its provider may still report. */
export interface AwaitedReport extends Owner {
  readonly messageId: string
  readonly provider: string
  /** Undefined while the provider has not answered, and where the send stayed ambiguous. */
  readonly providerMessageId: string | undefined
  readonly issueId: string
  readonly leg: Leg
  readonly answeredAt: number
}

/** A first use of an idempotency key. */
export interface Claim extends Owner {
  readonly keyHash: Uint8Array
  readonly fingerprint: Uint8Array
  readonly issueId: string
  readonly createdAt: number
}

export interface App {
  appId: string
  organizationId: string
  name: string
  /** ISO 3166 country whose national phone formats its numbers are read in; undefined: the server's default. */
  region: string | undefined
  createdAt: number
  /** Of one that was removed; its ledger and issues stay. */
  removedAt?: number
}

/** Work that is not done yet: of a kind, or of a kind in one carrier's queue. */
export interface QueueState {
  kind: JobKind
  waiting: number
  /** Of these, how many could run now. */
  due: number
  oldestDueMs: number
}

/** A copy of the database. */
export interface Backup {
  name: string
  bytes: number
  at: number
}

/** One change an operator made. */
export interface AuditEntry {
  /** From 1, without gaps. */
  readonly seq: number
  readonly at: number
  readonly actor: string
  readonly ip: string | undefined
  /** For example `key.create`. */
  readonly action: string
  readonly target: string
  /** Never a secret. */
  readonly detail: Readonly<Record<string, unknown>>
  readonly hash: Uint8Array
}

/** A line outside of the database; see `domain/audit-head.ts`. */
export interface HeadFile {
  /** Undefined where there is none. Throws where it cannot be read. */
  read(): string | undefined
  /** On disk when it returns. */
  write(line: string): void
  remove(): void
}

/** Where the audit log ended when that was last written down: `unreadable` where somebody else has written there. */
export type KeptHead = { readonly where: 'database' | 'file' } & (
  | { readonly state: 'kept'; readonly head: AuditHead }
  | { readonly state: 'none' | 'unreadable' }
)

export interface AuditFilter {
  before?: number | undefined
  actor?: string | undefined
  action?: string | undefined
  limit: number
}

/** Where a page starts and what it shows; times are Unix milliseconds. */
export interface IssueFilter {
  before?: string
  status?: VerificationStatus
  createdFrom?: number
  createdTo?: number
  limit: number
}

/** What happened, as endpoints are told. */
export interface StoredEvent extends Owner {
  readonly eventId: string
  readonly type: EventType
  /** Undefined for a test event. */
  readonly issueId: string | undefined
  /** JSON; see `contract/event.ts`. */
  readonly body: string
  readonly createdAt: number
}

/** A webhook as people look at it. */
export interface HookReport extends HookDelivery {
  readonly type: EventType
  /** Of the last attempt. */
  readonly lastStatus: number | undefined
  readonly lastError: string | undefined
  readonly lastAttemptAt: number | undefined
  /** When it is tried next. */
  readonly nextAttemptAt: number | undefined
}

export interface HookFilter {
  endpointId: string
  status?: HookDelivery['status'] | undefined
  /** Only older than this delivery. */
  before?: string | undefined
  limit: number
}

export interface LedgerFilter {
  before?: { createdAt: number; seq: number }
  entryType?: EntryType
  createdFrom?: number
  createdTo?: number
  limit: number
}

/** A key as it is stored: what it may do, and how people recognise it. */
export interface StoredKey extends ApiKey {
  /** SHA-256 of the key. */
  hash: Uint8Array
  prefix: string
  lastFour: string
  lastUsedAt?: number | undefined
  createdAt: number
}

/** Reads of committed data, outside any transaction. */
export interface Reader {
  issue(owner: Owner, issueId: string): Promise<Issue | undefined>
  /** Newest first; `now` decides what is expired. */
  issues(owner: Owner, filter: IssueFilter, now: number): Promise<Issue[]>
  wallet(appId: string): Promise<Wallet | undefined>
  /** Newest first. */
  ledger(appId: string, filter: LedgerFilter): Promise<LedgerEntry[]>
  /** Entries tied to one issue, oldest first. */
  ledgerOfIssue(appId: string, issueId: string): Promise<LedgerEntry[]>
  /** Oldest first. */
  attempts(owner: Owner, issueId: string): Promise<Attempt[]>
  queue(now: number): Promise<QueueState[]>
  /** How calls of live carriers ended, by provider, for messages issued since. */
  outcomesSince(since: number): Promise<Map<string, Record<SendOutcome['kind'], number>>>
  /** What waits for room at a carrier. */
  carrierQueues(now: number): Promise<Array<QueueState & { carrier: string }>>
  /** What the running server last found of providers, by name; a provider without a row is healthy. */
  providerHealth(): Promise<Map<string, Health>>
  /** Not of a removed app. */
  keyByHash(hash: Uint8Array): Promise<StoredKey | undefined>
  key(keyId: string): Promise<StoredKey | undefined>
  keys(appId: string): Promise<StoredKey[]>
  /** Without those that were removed. */
  apps(): Promise<App[]>
  /** With those that were removed. */
  allApps(): Promise<App[]>
  /** Undefined once it was removed. */
  app(appId: string): Promise<App | undefined>
  /** The app's own templates, newest version each. */
  templates(appId: string): Promise<Template[]>
  providers(): Promise<ProviderConfig[]>
  routes(): Promise<Route[]>
  /** Tells this installation from others; hexadecimal digits. */
  installation(): Promise<string>
  operators(): Promise<Operator[]>
  /** Whether an operator has signed in from an address, among the newest. */
  knowsAddress(operatorId: string, addressHash: Uint8Array): Promise<boolean>
  invitations(): Promise<Invitation[]>
  /** A session and whose it is. */
  operatorSession(tokenHash: Uint8Array): Promise<{ session: OperatorSession; operator: Operator } | undefined>
  /**
   * Of the hours that begin at or after `from` and before `to`. Those that are over may be ten minutes old, the running
   * one a few seconds where counting it takes long.
   */
  usage(owner: Owner, from: number, to: number, now: number): Promise<UsageRow[]>
  /** Newest first. */
  audit(filter: AuditFilter): Promise<AuditEntry[]>
  /** Oldest first, from that entry on. */
  auditFrom(seq: number, limit: number): Promise<AuditEntry[]>
  /** Of every place where one is kept. */
  auditHeads(): Promise<KeptHead[]>
  endpoints(appId: string): Promise<Endpoint[]>
  endpoint(endpointId: string): Promise<Endpoint | undefined>
  /** Newest first. */
  hooks(filter: HookFilter): Promise<HookReport[]>
  /** Oldest first. */
  hookAttempts(deliveryId: string): Promise<HookAttempt[]>
  hooksOfIssue(owner: Owner, issueId: string): Promise<HookReport[]>
  /** Every origin that public keys list, and when the last of those keys expires; revoked ones do not count. */
  publicOrigins(): Promise<Map<string, number>>
  /** Admitted since, oldest first, for the limits that count days; others get their turn between the pages. */
  issuesSince(owner: Owner, since: number): AsyncIterable<Array<Pick<Issue, 'keyKind' | 'phoneHash' | 'createdAt'>>>
  /** Changes whenever keys, apps, templates or providers may have changed, in whatever process. */
  configurationVersion(): string
}

/**
 * One transaction. `now` is fixed for its life. Only `tx` calls are awaited inside it.
 * A thrown error rolls all of it back; using it after it has ended throws.
 */
export interface Tx {
  readonly now: number
  /** Runs once the transaction is on disk; not at all if it is rolled back. */
  afterCommit(effect: () => void): void

  /** Reads an issue for change: no other transaction changes it until this one ends. */
  lockIssue(owner: Owner, issueId: string): Promise<Issue | undefined>
  /** The issue stored as `issued` for a phone and purpose; there is at most one. */
  lockLiveIssue(owner: Owner, phoneHash: Uint8Array, purpose: string): Promise<Issue | undefined>
  /** Issues stored as `issued` whose expiry has passed. */
  lockExpired(limit: number): Promise<Issue[]>
  addIssue(issue: Issue): Promise<void>
  /** Stores what may change of an issue. */
  saveIssue(issue: Issue): Promise<void>

  /** Under either hash: how keys are hashed has changed, and claims made before are found by the former one. */
  findClaim(owner: Owner, keyHash: Uint8Array, formerHash?: Uint8Array): Promise<Claim | undefined>
  addClaim(claim: Claim): Promise<void>
  dropClaim(owner: Owner, keyHash: Uint8Array): Promise<void>

  /** Stores number and text sealed, until `eraseOutbox`. */
  addOutbox(issue: Issue, letter: Letter): Promise<void>
  findOutbox(issueId: string): Promise<Letter | undefined>
  eraseOutbox(issueId: string): Promise<void>

  addAttempt(attempt: Attempt): Promise<void>
  /** Oldest first. */
  attempts(owner: Owner, issueId: string): Promise<Attempt[]>
  /** Records the answer of an attempt that has none; false when it had one. */
  answerAttempt(attempt: Attempt): Promise<boolean>
  /** Makes a message findable for its provider's report, or says more about it. */
  awaitReport(awaited: AwaitedReport): Promise<void>
  /** What a report is about, by the provider's id of the message or by ours. */
  findAwaited(provider: string, messageId: string): Promise<AwaitedReport | undefined>
  awaitedReport(messageId: string): Promise<AwaitedReport | undefined>
  forgetReport(messageId: string): Promise<void>

  lockWallet(appId: string): Promise<Wallet>
  saveWallet(wallet: Wallet): Promise<void>
  addLedgerEntry(entry: LedgerEntry): Promise<void>
  /** The entry of that kind an operator made under that reference. */
  findLedgerEntry(appId: string, entryType: EntryType, reference: string): Promise<LedgerEntry | undefined>

  /** One job of a kind for a subject: one that exists is moved, and whoever ran it has lost it. */
  addJob(job: { kind: JobKind; owner: Owner; subjectId: string; runAt: number; queue?: string }): Promise<void>
  /** Takes due jobs of a kind from a queue: raises `attempt`, and keeps them from others until the lease ends. */
  claimJobs(kind: JobKind, queue: string, limit: number): Promise<Job[]>
  /** True when the job is still held under this attempt. */
  holdsJob(job: Job): Promise<boolean>
  /** False when it is no longer held under this attempt; then nothing has changed. */
  finishJob(job: Job): Promise<boolean>
  /** To the front, where no queue is named. */
  rescheduleJob(job: Job, runAt: number, queue?: string): Promise<void>
  /** How many messages wait to be sent; counts no further than `limit`. */
  backlog(limit: number): Promise<number>
  hasDueJobs(kind: JobKind, queue: string): Promise<boolean>
  /** Makes a job due at once, unless it runs already; a message leaves its carrier's queue. */
  hastenJob(kind: JobKind, subjectId: string): Promise<void>
  /** Moves every message that waits for room at a carrier to the front. */
  emptyCarrierQueues(): Promise<void>
  /** Makes due what a process that is gone was running. Only where no other process runs jobs. */
  releaseLeases(): Promise<void>
  /**
   * The clock was set back by so much: codes that can still be verified expire that much earlier, jobs that wait are due
   * that much earlier, though not before now, and no lease has more left than its length; a job that runs keeps it. Noted
   * with a name of the process, so that another one that sees the same step changes nothing.
   */
  setBack(byMs: number, noticedBy: string): Promise<void>

  operators(): Promise<Operator[]>
  /** Stores a new one, or what has changed of one. */
  saveOperator(operator: Operator): Promise<void>
  /** With all sessions. */
  removeOperator(operatorId: string): Promise<void>
  /** The operator signs in from there; of the addresses known before only the newest stay, `kept` in all. */
  rememberAddress(operatorId: string, addressHash: Uint8Array, kept: number): Promise<void>
  forgetAddresses(operatorId: string): Promise<void>
  saveOperatorSession(session: OperatorSession): Promise<void>
  /** It is used now; one that has ended stays so. */
  touchOperatorSession(tokenHash: Uint8Array): Promise<void>
  removeOperatorSession(tokenHash: Uint8Array): Promise<void>
  /** Answers how many. */
  removeOperatorSessions(operatorId: string): Promise<number>
  addInvitation(invitation: Invitation): Promise<void>
  invitation(tokenHash: Uint8Array): Promise<Invitation | undefined>
  removeInvitation(tokenHash: Uint8Array): Promise<boolean>
  removeInvitationsOf(invitedBy: string): Promise<void>
  lastAuditEntry(): Promise<AuditEntry | undefined>
  /** With it goes every head that is still held by the log. */
  addAuditEntry(entry: AuditEntry): Promise<void>
  /** Writes down where the log ends wherever that is not known, or `inAnyCase`. */
  keepAuditHead(how: { inAnyCase: boolean }): Promise<void>
  /** The first hour that is not counted and kept yet; undefined while there are no issues. */
  usageRolledUntil(): Promise<number | undefined>
  /** Counts the issues of one hour and keeps the result. */
  rollUpHour(hour: number): Promise<void>
  /** When keys were last used. */
  touchKeys(usedAt: ReadonlyMap<string, number>): Promise<void>

  /** Of one app and mode. */
  endpoints(owner: Owner): Promise<Endpoint[]>
  endpoint(endpointId: string): Promise<Endpoint | undefined>
  /** Stores a new one, or what has changed of one. */
  saveEndpoint(endpoint: Endpoint): Promise<void>
  /** What it was told first, at most `limit` of it; true when that was all, and the endpoint is gone too. */
  removeEndpoint(endpointId: string, limit?: number): Promise<boolean>
  /** Stores the body sealed. */
  addEvent(event: StoredEvent): Promise<void>
  event(eventId: string): Promise<StoredEvent | undefined>
  addHookDelivery(delivery: HookDelivery): Promise<void>
  /** What is to be told, and to whom. */
  hook(deliveryId: string): Promise<{ delivery: HookDelivery; endpoint: Endpoint } | undefined>
  /** Of what an endpoint was told of that issue and never tried: the id of the first, or of the first after `after`. */
  firstUntried(delivery: HookDelivery, after?: HookDelivery): Promise<string | undefined>
  /** What an endpoint was told and did not take, since a time. */
  failedHooks(
    endpointId: string,
    since: number,
    page?: { after?: string | undefined; limit?: number },
  ): Promise<HookDelivery[]>
  hooksOfEvent(eventId: string): Promise<HookDelivery[]>
  saveHookDelivery(delivery: HookDelivery): Promise<void>
  addHookAttempt(attempt: HookAttempt): Promise<void>

  /** The installation's organization; `first` becomes it where there is none. */
  organizationId(first: { organizationId: string; name: string }): Promise<string>
  addApp(app: App): Promise<void>
  /** Stores what may change of an app: its name and region. */
  saveApp(app: App): Promise<void>
  removeApp(appId: string): Promise<void>
  addKey(key: StoredKey): Promise<void>
  revokeKey(keyId: string, at: number): Promise<void>
  /** What a live browser key may do beyond the usual. */
  allowKey(keyId: string, allows: readonly Allowance[]): Promise<void>
  expireKey(keyId: string, at: number): Promise<void>
  saveTemplate(appId: string, template: Template): Promise<void>
  /** With every version of it; false where there was none. */
  removeTemplate(appId: string, templateId: string): Promise<boolean>
  saveProvider(provider: ProviderConfig): Promise<void>
  removeProvider(name: string): Promise<boolean>
  saveHealth(provider: string, health: Health): Promise<void>
  /** A process begins with every provider healthy. */
  forgetHealth(): Promise<void>
  saveRoute(route: Route): Promise<void>
  removeRoute(route: Omit<Route, 'providers'>): Promise<boolean>

  /** Deletes at most `limit` issues of `mode` created before, with all that belongs to them; answers how many. */
  deleteIssuesBefore(mode: Mode, before: number, limit: number): Promise<number>
  deleteClaimsBefore(before: number, limit: number): Promise<number>
  /** Deletes what is no longer awaited because the report deadline has long passed. */
  deleteAwaitedBefore(before: number, limit: number): Promise<number>
  /** Deletes at most `limit` webhooks that are done, with their attempts and with events nobody else is told of. */
  deleteHooksBefore(before: number, limit: number): Promise<number>
  /** Deletes outbox rows whose code has expired; a net below the rule that erases them with the issue's change. */
  deleteExpiredOutbox(limit: number): Promise<number>
}

export interface Store {
  readonly read: Reader
  /** Runs `unit` and answers once its changes are on disk. Throws `unavailable` when they cannot be stored. */
  transaction<T>(unit: (tx: Tx) => Promise<T>): Promise<T>
  /** The queues of a kind that are not empty, and when the first job of each is due, Unix milliseconds. */
  queueHeads(kind: JobKind): Array<{ queue: string; runAt: number }>
  /** How long the oldest transaction that has not begun has waited. */
  waitingMs(): number
  /** Of the database file. */
  bytes(): number
  /** Writes a whole, consistent copy to a file that is not there yet. Takes its time: not for the serving process. */
  copyTo(file: string): void
  /** How often the disk has not taken what it was given, since the store was opened. */
  writeFailures(): number
  /** Writes more than any request does. Throws when the database cannot be written. */
  assertWritable(): Promise<void>
  close(): Promise<void>
}
