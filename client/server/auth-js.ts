/** A provider of Auth.js that signs in by the proof of a number. It imports nothing of Auth.js. */
import { type Proof, ProofError, type VerifyProof } from './proof'

export interface PhoneUser {
  id: string
  phoneNumber: string
}

export interface WatchwordCredentialsOptions<User> {
  /** Made by `createProofVerifier`. */
  verifyProof: VerifyProof
  /** Finds the user of a number; null refuses the sign-in. When omitted the user's `id` is the number. */
  userOf?: (proof: Proof, request: Request) => User | null | Promise<User | null>
}

/** A provider of Auth.js: `signIn('watchword', { proof })`. */
export interface WatchwordCredentials<User> {
  id: 'watchword'
  name: string
  type: 'credentials'
  credentials: { proof: { label: string; type: string } }
  /** Null for an invalid proof. Throws `TypeError` where the service's keys cannot be read. */
  authorize(credentials: { proof?: unknown }, request: Request): Promise<User | null>
}

/**
 * ```ts
 * Auth(request, { providers: [watchwordCredentials({ verifyProof })], … })
 * ```
 */
export function watchwordCredentials<User = PhoneUser>({
  verifyProof,
  userOf = ({ phoneNumber }) => ({ id: phoneNumber, phoneNumber }) as User,
}: WatchwordCredentialsOptions<User>): WatchwordCredentials<User> {
  return {
    ...{ id: 'watchword', name: 'Phone number', type: 'credentials' },
    credentials: { proof: { label: 'Proof', type: 'hidden' } },
    async authorize({ proof }, request) {
      try {
        return await userOf(await verifyProof(proof), request)
      } catch (error) {
        if (error instanceof ProofError) return null
        throw error
      }
    },
  }
}
