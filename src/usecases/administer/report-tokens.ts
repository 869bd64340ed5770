/** Tokens with which finance's tools read usage. Decisions: "Usage". */
import { REPORT_TOKENS_MAX, type ReportToken } from '../../domain/access/report-token'
import { invalid, missing } from '../../domain/shared/error'
import { newId, newToken, tokenHash } from '../shared/id'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, label, type MakingDependencies } from './shared'

export type ShownReportToken = Omit<ReportToken, 'tokenHash'>

const shown = ({ tokenHash: _, ...token }: ReportToken): ShownReportToken => token

/** The token is shown only now: its hash is stored. Throws `invalid`. */
export async function createReportToken(
  deps: MakingDependencies,
  wanted: { name: string },
): Promise<ShownReportToken & { token: string }> {
  const name = label(wanted.name, 'name')
  const token = `rpt_${newToken(deps.random)}`
  return deps.store.transaction(async (tx) => {
    // One change at a time, so that the limit holds.
    await tx.audit.lockLast()
    if ((await deps.store.read.reportTokens.all()).length >= REPORT_TOKENS_MAX)
      throw invalid('name', 'too_many', `at most ${REPORT_TOKENS_MAX} report tokens`, { max: REPORT_TOKENS_MAX })
    const added: ReportToken = {
      ...{ tokenId: newId(deps.random, 'rpt'), name, tokenHash: tokenHash(token) },
      ...{ createdBy: deps.actor.name, createdAt: tx.now },
    }
    await tx.reportTokens.add(added)
    await writeAudit(deps, tx, 'report_token.create', added.tokenId, { name })
    return { ...shown(added), token }
  })
}

export const listReportTokens = async ({ store }: Pick<AdminDependencies, 'store'>): Promise<ShownReportToken[]> =>
  (await store.read.reportTokens.all()).map(shown)

/** Throws `not_found`. */
export async function revokeReportToken(deps: AdminDependencies, tokenId: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    if (!(await tx.reportTokens.remove(tokenId))) throw missing('report token', tokenId)
    await writeAudit(deps, tx, 'report_token.revoke', tokenId)
  })
}
