/**
 * Firebase: a token for `signInWithCustomToken` in exchange for a proof. `auth` is `getAuth()` of firebase-admin; `verifyProof` is
 * made by `createProofVerifier` of `@watchword/client/server`, and throws `ProofError` (status 400) for an invalid proof.
 */
export const firebaseToken =
  ({ auth, verifyProof }) =>
  async (proof) => {
    const { phoneNumber } = await verifyProof(proof)
    const { uid } = await auth.getUserByPhoneNumber(phoneNumber).catch((error) => {
      if (error.code !== 'auth/user-not-found') throw error
      return auth.createUser({ phoneNumber })
    })
    return auth.createCustomToken(uid)
  }
