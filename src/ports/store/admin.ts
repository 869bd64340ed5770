/** Tokens of the management API, and the answers that its repeated requests get again. */
import type { AdminRequest, AdminToken } from '../../domain/access/admin-token'

export interface AdminTx {
  addToken(token: AdminToken): Promise<void>
  /** False where there was no such token. */
  removeToken(tokenId: string): Promise<boolean>
  /** False where it was noted before. Those before `forgottenBefore` are deleted. */
  noteRequest(request: AdminRequest, forgottenBefore: number): Promise<boolean>
  /** The answer is stored encrypted: it may show a secret. */
  answerRequest(request: Pick<AdminRequest, 'requestId'>, answer: string): Promise<void>
}

export interface AdminReader {
  /** Oldest first. */
  tokens(): Promise<AdminToken[]>
  token(tokenHash: Uint8Array): Promise<AdminToken | undefined>
  /** `answer` is undefined until it is stored, and for good if the server ended before. */
  request(requestId: string): Promise<(AdminRequest & { createdAt: number; answer: string | undefined }) | undefined>
}
