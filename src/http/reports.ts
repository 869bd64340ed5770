/** `POST` or `GET /provider-reports/<name>`: what carriers report of messages they took. */

import { isSameSecret } from '../domain/access/api-key'
import { Refusal } from '../domain/shared/error'
import type { Carrier } from '../ports/carrier'
import { type ReportDependencies, recordReport } from '../usecases/record-report'
import { readText } from './json'

/** Or the text that a carrier tries the address with. */
export type ReportAnswer = { recorded: number } | { challenge: string }

export const REPORT_PREFIX = '/provider-reports/'

export interface ReceiveDependencies extends ReportDependencies {
  carrierNamed: (name: string) => Promise<Carrier | undefined>
  /** Under which carriers call us, where it differs from what the socket sees. */
  publicUrl: string | undefined
}

/**
 * Answers how many of the reports were about a message we wait for. Throws `not_found`, `unauthorized` or `invalid`. Which
 * carriers there are is nobody's business: without the right secret a name of none is answered as theirs are.
 */
export async function receiveReports(deps: ReceiveDependencies, request: Request, url: URL): Promise<ReportAnswer> {
  if (!['POST', 'GET'].includes(request.method)) throw new Refusal('not_found', 'No such path or method')
  const carrier = (await deps.carrierNamed(url.pathname.slice(REPORT_PREFIX.length))) ?? UNKNOWN_CARRIER
  const challenge = request.method === 'GET' ? carrier.answerChallenge?.(url.searchParams) : undefined
  if (challenge !== undefined) return { challenge }
  const readReports = carrier.readReports ?? UNKNOWN_CARRIER.readReports
  const reports = await readReports({
    url: `${deps.publicUrl ?? url.origin}${url.pathname}${url.search}`,
    headers: request.headers,
    query: url.searchParams,
    text: await readText(request),
  })
  if (!reports) throw new Refusal('unauthorized', 'The secret or signature of this report is wrong')
  let recorded = 0
  for (const report of reports) if (await recordReport(deps, carrier.name, report)) recorded++
  return { recorded }
}

/** A carrier that believes nobody, and looks at what it was shown as the others do. */
const UNKNOWN_CARRIER: Pick<Carrier, 'name' | 'answerChallenge'> & Required<Pick<Carrier, 'readReports'>> = {
  name: '',
  readReports({ headers, query }) {
    isSameSecret(headers.get('authorization') ?? query.get('token') ?? '', '')
    return undefined
  },
}
