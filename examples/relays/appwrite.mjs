/**
 * Appwrite: a token for `account.createSession` in exchange for a proof. `users`, `Query` and `ID` are those of node-appwrite;
 * `verifyProof` is made by `createProofVerifier` of `@watchword/client/server`, and throws `ProofError` (status 400) for an invalid proof.
 */
export const appwriteToken =
  ({ users, Query, ID, verifyProof }) =>
  async (proof) => {
    const { phoneNumber: phone } = await verifyProof(proof)
    const { users: found } = await users.list({ queries: [Query.equal('phone', phone)] })
    const { $id: userId } = found[0] ?? (await users.create({ userId: ID.unique(), phone }))
    const { secret } = await users.createToken({ userId, length: 32, expire: 60 })
    return { userId, secret }
  }
