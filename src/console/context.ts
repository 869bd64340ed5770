/** Context of a request to the console, and the dependencies of the console. */
import type { Operator, OperatorSession } from '../domain/access/operator'
import type { CarrierConfig, CarrierSetup } from '../domain/delivery/carrier'
import type { Numbering } from '../domain/phone/phone'
import { Refusal } from '../domain/shared/error'
import type { HookUrlPolicy } from '../domain/webhooks/target-address'
import type { Carrier, CarrierEndpoint, ListedType, TemplateRequest, TemplateState } from '../ports/carrier'
import type { Clock } from '../ports/clock'
import type { Backups, ErasedFile } from '../ports/files'
import type { Log } from '../ports/log'
import type { ConcurrencyLimiter, Node } from '../ports/node'
import type { Passwords } from '../ports/vault'
import type { CarrierTypes } from '../usecases/administer'
import type { InspectDependencies } from '../usecases/inspect'
import type { IssueDependencies } from '../usecases/issue-code'
import type { Visitor } from '../usecases/people'
import type { ProvingDependencies } from '../usecases/prove-verification'
import type { NoticeSenderDependencies } from '../usecases/send-notice'
import type { Actor } from '../usecases/shared/write-audit'

export const CONSOLE_RPC_PREFIX = '/console/rpc'

/** Name of the organization that operators see. */
export interface ServerFacts {
  startedAt: number
  publicUrl: string | undefined
  isDispatching: () => boolean
  /** Copies of the database, newest first. */
  backups: () => Backups
  carrierTimeoutMs: number
  liveRetentionDays: number
  numbering: Numbering
  hookPolicy: HookUrlPolicy
}

export interface ConsoleDependencies
  extends Omit<InspectDependencies, 'clock'>,
    Omit<IssueDependencies, 'node'>,
    ProvingDependencies,
    NoticeSenderDependencies {
  clock: Clock
  log: Log
  passwords: Passwords
  node: Pick<
    Node,
    | 'backlog'
    | 'replays'
    | 'directory'
    | 'keyUse'
    | 'reports'
    | 'limits'
    | 'signInLimits'
    | 'logSampler'
    | 'traffic'
    | 'wakeUps'
    | 'changes'
  >
  carriers: ConsoleCarriers
  carrierTypes: ConsoleCarrierTypes
  trustedProxies: readonly string[]
  facts: ServerFacts
  erasedFile: ErasedFile | undefined
}

/** The carriers in use, by name. */
export interface ConsoleCarriers {
  limiters(): ReadonlyMap<string, ConcurrencyLimiter>
  named(name: string): Promise<CarrierEndpoint | undefined>
  /** A carrier of settings that are not stored. */
  trial(config: CarrierConfig): Carrier
  whatsappTemplate(
    name: string,
    request: TemplateRequest,
  ): Promise<{ template: string; languages: readonly TemplateState[] }>
}

/** The types of carriers, and what an operator fills in for each. */
export interface ConsoleCarrierTypes extends CarrierTypes {
  list(): ListedType[]
  showsVerifyToken(carrier: CarrierSetup): boolean
  settingsOf(carrier: CarrierSetup): { type: ListedType; settings: Record<string, string>; secrets: string[] }
  /** The configuration of the carrier with these settings. Throws `invalid`. */
  configWith(carrier: CarrierSetup, settings: Readonly<Record<string, string>>): Record<string, unknown>
}

export interface ConsoleContext {
  signedIn: { session: OperatorSession; operator: Operator } | undefined
  visitor: Visitor
  /** Base URL of the console, for links. */
  origin: string
  /** Token of a new session, which becomes the cookie; `null` ends the current session. */
  sessionToken: string | null | undefined
  /** When a refused request may be tried again, in milliseconds from now. */
  retryAfterMs: number | undefined
  /** Set when a procedure starts: earlier errors are the fault of the request. */
  entered: boolean
}

export const notSignedIn = () => new Refusal('unauthorized', 'Sign in first', { reason: 'not_signed_in' })

/** Throws `unauthorized` if nobody is signed in; the guard has normally checked that. */
export function signedIn({ signedIn: known }: ConsoleContext) {
  if (!known) throw notSignedIn()
  return known
}

/** Actor of a change, for the audit log. */
export const actorOf = (context: ConsoleContext): Actor => ({
  name: signedIn(context).operator.operatorId,
  ip: context.visitor.ip,
})

/** Context for use cases that write the audit log. */
export const adminOf = (deps: ConsoleDependencies, context: ConsoleContext) => ({
  ...deps,
  actor: actorOf(context),
})

/** A refusal that is shown without a failed request. */
export const mistakeOf = ({ detail: { param, reason, about } }: Refusal) => ({ param, reason, about })

export const OK = { ok: true } as const
