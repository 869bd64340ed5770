/** What a request to the console brings, and what the console works with. */
import type { HookUrlPolicy } from '../domain/address'
import { Refusal } from '../domain/error'
import type { Gate } from '../domain/gate'
import type { Operator, OperatorSession } from '../domain/operator'
import type { Numbering } from '../domain/phone'
import type { KeyUse } from '../key-use'
import type { Backup, Clock, Provider } from '../ports'
import type { AdminDependencies } from '../usecases/administer'
import type { Actor } from '../usecases/audit'
import type { InspectDependencies } from '../usecases/inspect'
import type { IssueDependencies } from '../usecases/issue-code'
import type { OperatorDependencies, Visitor } from '../usecases/operators'

type Needed = Omit<AdminDependencies, 'actor' | 'clock'> &
  Omit<InspectDependencies, 'clock'> &
  Omit<OperatorDependencies, 'clock'> &
  IssueDependencies

export const CONSOLE_RPC_PREFIX = '/console/rpc'

export interface ConsoleDependencies extends Needed {
  wakeDelivery: () => void
  clock: Clock
  hookPolicy: HookUrlPolicy
  publicUrl: string | undefined
  numbering: Numbering
  providerTimeoutMs: number
  keyUse: KeyUse
  gates: () => Map<string, Gate>
  providerNamed: (name: string) => Promise<Provider | undefined>
  dispatcherLookedAt: () => number
  databaseBytes: () => number
  backups: () => Backup[]
  startedAt: number
}

export interface ConsoleContext {
  signedIn: { session: OperatorSession; operator: Operator } | undefined
  visitor: Visitor
  /** Where the browser finds the console, for links. */
  origin: string
  /** A new session's token, to become the cookie; `null` ends the one there is. */
  sessionToken: string | null | undefined
  /** When a refused request may be tried again, in milliseconds from now. */
  retryAfterMs: number | undefined
  /** Set when a procedure has been entered: errors before that are the request's fault. */
  entered: boolean
}

export const notSignedIn = () => new Refusal('unauthorized', 'Sign in first', { reason: 'not_signed_in' })

/** Throws `unauthorized` where nobody is signed in; the guard has seen to that before. */
export function signedIn({ signedIn: known }: ConsoleContext) {
  if (!known) throw notSignedIn()
  return known
}

/** Who makes a change. */
export const actorOf = (context: ConsoleContext): Actor => ({
  name: signedIn(context).operator.operatorId,
  ip: context.visitor.ip,
})

/** For use cases that note who made the change. */
export const adminOf = (deps: ConsoleDependencies, context: ConsoleContext): AdminDependencies => ({
  ...deps,
  actor: actorOf(context),
})

/** A refusal that is shown before anything was asked for. */
export const mistakeOf = ({ detail: { param, reason, about } }: Refusal) => ({ param, reason, about })

export const OK = { ok: true } as const
