/** Who says whether a token proves a human. */
import type { ChallengeSettings, Proof } from '../abuse/rules/challenge'
import type { KeyKind } from '../domain/access/api-key'

/** For whom a check is counted: a browser key that leaked holds up no check of a server. */
export interface CheckedFor {
  appId: string
  kind: KeyKind
}

export interface Challenges {
  /** Asks the app's vendor, once: a token is good for one look. Never throws for what the outside did. */
  verify(
    whose: CheckedFor,
    settings: ChallengeSettings,
    shown: { token: string; address: string | undefined },
  ): Promise<Proof>
}
