/** Tokens of the management API, and the answers that its repeated requests get again. */
import { asc, lt } from 'drizzle-orm'
import type { AdminReader, AdminTx } from '../ports/store/admin'
import type { Vault } from '../ports/vault'
import { inDialect } from './dialect'
import type { Querying, Session } from './session'
import { statement } from './statement'

export const requestSeal = (requestId: string) => `admin-request:${requestId}`

const STATEMENTS = inDialect(
  ({ db, tables: { adminTokens, adminRequests }, match, insert, bind, changes, parameters }) => ({
    tokens: statement(() =>
      db.select().from(adminTokens).orderBy(asc(adminTokens.createdAt), asc(adminTokens.tokenId)),
    ),
    token: statement(() => db.select().from(adminTokens).where(match(adminTokens, 'tokenHash'))),
    addToken: insert(adminTokens),
    removeToken: statement(() => db.delete(adminTokens).where(match(adminTokens, 'tokenId'))),
    request: statement(() => db.select().from(adminRequests).where(match(adminRequests, 'requestId'))),
    note: statement(() => db.insert(adminRequests).values(parameters(adminRequests)).onConflictDoNothing()),
    answer: statement(() =>
      db
        .update(adminRequests)
        .set(changes(adminRequests, ['answer']))
        .where(match(adminRequests, 'requestId')),
    ),
    forget: statement(() =>
      db.delete(adminRequests).where(lt(adminRequests.createdAt, bind(adminRequests.createdAt, 'before'))),
    ),
  }),
)

export function adminTx(tx: Session, vault: Vault): AdminTx {
  const its = STATEMENTS(tx)
  return {
    addToken: async (token) => tx.run(its.addToken, token),
    removeToken: async (tokenId) => (await tx.change(its.removeToken, { tokenId })) > 0,
    async noteRequest({ requestId, fingerprint }, forgottenBefore) {
      // Waited for: from then on the time of the transaction is known.
      await tx.change(its.forget, { before: forgottenBefore })
      return (await tx.change(its.note, { requestId, fingerprint, createdAt: tx.now, answer: null })) > 0
    },
    answerRequest: async ({ requestId }, answer) =>
      tx.run(its.answer, { requestId, answer: vault.seal(requestSeal(requestId), answer) }),
  }
}

export const adminReader = (reads: Querying, vault: Vault): AdminReader => ({
  tokens: async () => reads.all(STATEMENTS(reads).tokens),
  token: async (tokenHash) => reads.get(STATEMENTS(reads).token, { tokenHash }),
  async request(requestId) {
    const row = await reads.get(STATEMENTS(reads).request, { requestId })
    return row && { ...row, answer: row.answer && vault.open(requestSeal(requestId), row.answer) }
  },
})
