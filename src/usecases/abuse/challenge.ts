/** Verifies the proof of a human, which an app may accept where a rule would refuse. Decisions: "Abuse". */
import {
  type ChallengeSettings,
  challengeFailed,
  challengeRequired,
  tooManyChecks,
  type Vendor,
} from '../../abuse/rules/challenge'
import { Refusal } from '../../domain/shared/error'
import type { Challenges, CheckedFor } from '../../ports/challenge'
import type { Clock } from '../../ports/clock'
import type { Log } from '../../ports/log'
import type { Node } from '../../ports/node'

export interface ChallengeDependencies {
  node: Pick<Node, 'directory' | 'logSampler'>
  challenges: Challenges
  clock: Clock
  log: Log
}

/** The request that was refused, and its proof. */
export interface ProofRequest extends CheckedFor {
  challenge: string | undefined
  address: string | undefined
}

/**
 * Returns where a valid proof lifts the refusal: then the caller tries once more. The vendor is asked between two
 * transactions, while nothing is locked; a request that is not refused is never checked. Throws the refusal where no
 * proof lifts it, `forbidden` for a missing or wrong proof, and `limited` where too many checks run. While the vendor
 * does not answer, throws the refusal unless the app's settings let it pass.
 */
export async function assertProven(
  { challenges, ...deps }: ChallengeDependencies,
  { appId, kind, challenge, address }: ProofRequest,
  refusal: unknown,
): Promise<void> {
  if (!(refusal instanceof Refusal && refusal.detail.provable)) throw refusal
  const settings = await deps.node.directory.challenge(appId)
  if (!settings) throw refusal
  if (challenge === undefined) throw challengeRequired()
  const proof = await challenges.verify({ appId, kind }, settings, { token: challenge, address })
  if (proof.kind === 'failed') throw challengeFailed()
  if (proof.kind === 'passed') return
  const { vendor, onOutage } = settings
  if (proof.kind === 'too_many') {
    warn(deps, { appId, vendor }, 'too many proofs to check at a time; what comes on top is refused')
    throw tooManyChecks()
  }
  const problem = 'a vendor of challenges did not say whether a proof is right'
  warn(deps, { appId, vendor, reason: proof.reason, onOutage }, problem)
  if (onOutage === 'refuse') throw refusal
}

/** Logs an outage of the vendor: operators must see that proofs are not checked, or cannot be given. */
function warn(
  { node, clock, log }: Omit<ChallengeDependencies, 'challenges'>,
  about: { appId: string; vendor: Vendor; reason?: string; onOutage?: ChallengeSettings['onOutage'] },
  problem: string,
): void {
  const said = node.logSampler.next(`challenge ${about.appId}`, clock.now())
  if (said) log.warn({ ...about, ...(said.unsaid > 0 && said) }, problem)
}
