/** Vendors of challenges, which say whether a token proves a human. */
import type { ChallengeSettings, Proof } from '../abuse/rules/challenge'
import type { CallerKind } from '../domain/access/caller'

/** Checks are counted by app and kind of key, so that a leaked browser key holds up no check of a server. */
export interface CheckedFor {
  appId: string
  kind: CallerKind
}

export interface Challenges {
  /** Asks the app's vendor once, since a token is valid once. Never throws for a failure of the vendor or the network. */
  verify(
    whose: CheckedFor,
    settings: ChallengeSettings,
    shown: { token: string; address: string | undefined },
  ): Promise<Proof>
}
