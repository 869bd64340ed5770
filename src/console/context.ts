/** Context of a request to the console: who is signed in, and from where. */
import { type AdminContext, notSignedIn } from '../admin/context'
import type { Operator, OperatorSession } from '../domain/access/operator'
import type { Visitor } from '../usecases/people'

export const CONSOLE_RPC_PREFIX = '/console/rpc'

export interface ConsoleContext extends AdminContext {
  signedIn: { session: OperatorSession; operator: Operator } | undefined
  visitor: Visitor
  /** Token of a new session, which becomes the cookie; `null` ends the current session. */
  sessionToken: string | null | undefined
}

/** Throws `unauthorized` if nobody is signed in; the guard has normally checked that. */
export function signedIn({ signedIn: known }: ConsoleContext) {
  if (!known) throw notSignedIn()
  return known
}
