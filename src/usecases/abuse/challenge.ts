/** Where a rule would refuse, an app may ask for a proof of a human instead. Decisions: "Abuse". */
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

/** Who asks, and what they show. */
export interface ProofRequest extends CheckedFor {
  challenge: string | undefined
  address: string | undefined
}

/**
 * Throws what somebody was refused with, unless a proof lifts it and they show one that is right: then they may try once more. The
 * vendor is asked between the two, while nothing is locked. Who is answered at the first try, as every replay is, proves nothing
 * and costs nothing. Throws `forbidden` too, and `limited` where too many are being checked, which never passes. Where nobody can
 * tell, throws the refusal, unless the app lets pass then.
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

/** Without it nobody would see that proofs are worth nothing, or that nobody can give one. */
function warn(
  { node, clock, log }: Omit<ChallengeDependencies, 'challenges'>,
  about: { appId: string; vendor: Vendor; reason?: string; onOutage?: ChallengeSettings['onOutage'] },
  problem: string,
): void {
  const said = node.logSampler.next(`challenge ${about.appId}`, clock.now())
  if (said) log.warn({ ...about, ...(said.unsaid > 0 && said) }, problem)
}
