/** The caller of a procedure of administration, and the services that procedures use. */
import type { AdminScope } from '../domain/access/admin-token'
import type { OperatorSession, Permission } from '../domain/access/operator'
import type { CarrierConfig, CarrierSetup } from '../domain/delivery/carrier'
import type { Numbering } from '../domain/phone/phone'
import { invalid, Refusal } from '../domain/shared/error'
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
import type { ProvingDependencies } from '../usecases/prove-verification'
import type { NoticeSenderDependencies } from '../usecases/send-notice'
import type { Actor } from '../usecases/shared/write-audit'

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

export interface AdminServices
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
  carriers: AdminCarriers
  carrierTypes: AdminCarrierTypes
  trustedProxies: readonly string[]
  facts: ServerFacts
  erasedFile: ErasedFile | undefined
}

/** The carriers in use, by name. */
export interface AdminCarriers {
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
export interface AdminCarrierTypes extends CarrierTypes {
  list(): ListedType[]
  showsVerifyToken(carrier: CarrierSetup): boolean
  settingsOf(carrier: CarrierSetup): { type: ListedType; settings: Record<string, string>; secrets: string[] }
  /** The settings that differ from those that are stored, by name, also secrets; and `channels`. */
  differing(
    carrier: CarrierConfig,
    wanted: Pick<CarrierConfig, 'channels'> & { settings: Readonly<Record<string, string>> },
  ): string[]
  /** The configuration of the carrier with these settings. Throws `invalid`. */
  configWith(carrier: CarrierSetup, settings: Readonly<Record<string, string>>): Record<string, unknown>
}

/** Whoever administers: an operator, a token of the management API, or the command line. */
export interface Administrator {
  /** For the audit log. */
  actor: Actor
  permissions: readonly Permission[]
  /** The only apps they see; undefined: all. */
  appIds: readonly string[] | undefined
  /** The scopes of a token; undefined: everything that its permissions allow. */
  scopes?: readonly AdminScope[]
}

export interface AdminContext {
  administrator: Administrator | undefined
  /** Base URL of the console, for links. */
  origin: string
  /** The session that calls, where there is one. */
  session?: OperatorSession | undefined
  /** Why the request was refused: for the log, and for when it may be tried again. */
  refusal?: Refusal | undefined
  /** Set when a procedure starts: earlier errors are the fault of the request. */
  entered: boolean
}

export const notSignedIn = () => new Refusal('unauthorized', 'Sign in first', { reason: 'not_signed_in' })

/** Throws `unauthorized` if nobody is signed in; the guard has normally checked that. */
export function administratorOf({ administrator }: AdminContext): Administrator {
  if (!administrator) throw notSignedIn()
  return administrator
}

/** Actor of a change, for the audit log. */
export const actorOf = (context: AdminContext): Actor => administratorOf(context).actor

/** Context for use cases that write the audit log. */
export const adminOf = (deps: AdminServices, context: AdminContext) => ({
  ...deps,
  actor: actorOf(context),
})

/** A refusal that is shown without a failed request. */
export const mistakeOf = ({ message, detail: { param, reason, about } }: Refusal) => ({ message, param, reason, about })

/** Throws `invalid` where one country and several are named. */
export function countriesOf({
  country,
  countries,
}: {
  country?: string | undefined
  countries?: string[] | undefined
}): ReadonlyArray<string | undefined> {
  if (country !== undefined && countries) throw invalid('countries', 'duplicate_field', 'not beside `country`')
  return countries ?? [country]
}

export const OK = { ok: true } as const
