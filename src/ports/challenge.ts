/** Who says whether a token proves a human. */
import type { ChallengeSettings, Proof } from '../domain/challenge'

export interface Challenges {
  /** Asks the app's vendor, once: a token is good for one look. Never throws for what the outside did. */
  verify(settings: ChallengeSettings, shown: { token: string; address: string | undefined }): Promise<Proof>
}
