/** Tokens with which finance's tools read usage; they open nothing else. Decisions: "Usage". */

export const REPORT_TOKENS_MAX = 20

export interface ReportToken {
  readonly tokenId: string
  readonly name: string
  /** SHA-256 of the token. */
  readonly tokenHash: Uint8Array
  readonly createdBy: string
  readonly createdAt: number
}
