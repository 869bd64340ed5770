'use server'
import { createProofVerifier, ProofError } from '@watchword/client/server'
import { OTP_APP_ID, OTP_PUBLIC_KEY, OTP_URL, PURPOSE } from './otp'
import { endSession, newSession } from './session'

// It remembers which proofs it has seen. Several processes give it `isFirstUse`, an INSERT that conflicts.
const verifyProof = createProofVerifier({
  baseUrl: OTP_URL,
  appId: OTP_APP_ID,
  purpose: PURPOSE,
  // A page with a live key signs nobody in with a test number, which is nobody's.
  allowTestMode: OTP_PUBLIC_KEY.startsWith('pk_test_'),
})

/** Answers what is wrong, if anything. Next.js runs it only for pages of this origin. */
export async function signIn(proof: unknown): Promise<string | undefined> {
  try {
    const { phoneNumber } = await verifyProof(proof)
    // Your own: find the account of this number, or make it.
    await newSession(phoneNumber)
  } catch (error) {
    if (error instanceof ProofError) return 'That did not work. Please ask for another code.'
    console.error(error)
    return 'That does not work at the moment. Please try again in a few minutes.'
  }
}

export async function signOut(): Promise<void> {
  await endSession()
}
