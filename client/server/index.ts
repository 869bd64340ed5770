/**
 * For backends, on Node 20 and newer, Bun, Deno and edge runtimes: believing what browsers say was verified, or verifying
 * for them. It imports nothing and needs nothing but WebCrypto.
 *
 * ```ts
 * const verifyProof = createProofVerifier({ baseUrl: 'https://otp.example.com/v1', appId: 'app_…', purpose: 'signup' })
 * const { phoneNumber } = await verifyProof(form.get('proof'))
 * ```
 */
export {
  type PhoneUser,
  type WatchwordCredentials,
  type WatchwordCredentialsOptions,
  watchwordCredentials,
} from './auth-js'
export type { OrderExtras, VerifiedPhone } from './backend'
export {
  type BetterAuthContext,
  type WatchwordPhoneNumber,
  type WatchwordPhoneNumberOptions,
  watchwordPhoneNumber,
} from './better-auth'
export { createVerificationHandler, type VerificationHandlerOptions } from './handler'
export {
  createVerificationMiddleware,
  type NodeRequest,
  type NodeResponse,
  type NodeVisit,
  type VerificationMiddlewareOptions,
} from './middleware'
export {
  createProofVerifier,
  type Proof,
  ProofError,
  type ProofFailure,
  type ProofOptions,
  type VerifyProof,
} from './proof'
