/**
 * A code that is sent again: a client of Twilio Verify that creates a verification while one is pending gets the same one.
 * Each sending is an issue of its own. The code is derived from the first one's id, so that it is stored nowhere.
 */
import { isActive, type Verification } from './verification'

/** Metadata of such an issue: the id of the first one that had the code. */
const FIRST_ISSUE = 'firstIssueId'

/** The id of the first issue that had the code; undefined where the code is not one that is sent again. */
export const firstIssueOf = ({ metadata }: Pick<Verification, 'metadata'>): string | undefined =>
  metadata?.[FIRST_ISSUE]

/** The issue whose code goes out again: the previous one of the phone and purpose, as long as it can be verified. */
export const keptFrom = (previous: Verification | undefined, now: number): Verification | undefined =>
  previous && isActive(previous, now) && firstIssueOf(previous) !== undefined ? previous : undefined

/** The use of the key that the code is derived from. With the phone in it, nobody else's code can be had by naming its id. */
export const keptKeyName = ({ appId, phoneHash }: { appId: string; phoneHash: Uint8Array }, firstIssueId: string) =>
  `kept ${appId} ${phoneHash.toHex()} ${firstIssueId}`

/** Six digits of a derived key. */
export const derivedCode = (key: Uint8Array): string =>
  (new DataView(key.buffer, key.byteOffset).getUint32(0) % 1_000_000).toString().padStart(6, '0')

/** The issue with the life and the attempts of the code that it sends again. */
export function keepCode<V extends Verification>(issue: V, kept: Verification | undefined): V {
  const firstIssueId = (kept && firstIssueOf(kept)) ?? issue.issueId
  const metadata = { ...issue.metadata, [FIRST_ISSUE]: firstIssueId }
  if (!kept) return { ...issue, metadata }
  const { attemptsUsed, maxAttempts, expiresAt, promisedExpiresAt } = kept
  return { ...issue, metadata, attemptsUsed, maxAttempts, expiresAt, promisedExpiresAt }
}
