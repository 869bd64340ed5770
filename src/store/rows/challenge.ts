/** Challenges of apps, sealed as a whole. */
import type { ChallengeSettings } from '../../abuse/rules/challenge'
import type { Vault } from '../../ports/vault'

interface ChallengeRow {
  appId: string
  settings: Uint8Array
}

export const challengeSeal = (appId: string) => `challenge:${appId}`

export const challengeOf = (vault: Vault, { appId, settings }: ChallengeRow): ChallengeSettings =>
  JSON.parse(vault.open(challengeSeal(appId), settings))

export const challengeRow = (vault: Vault, appId: string, settings: ChallengeSettings): ChallengeRow => ({
  appId,
  settings: vault.seal(challengeSeal(appId), JSON.stringify(settings)),
})
