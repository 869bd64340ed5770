/** `POST /provider-reports/<name>`: what carriers report of messages they took. */
import { Refusal } from '../domain/error'
import { type ReportDependencies, recordReport } from '../usecases/record-report'
import { readText } from './json-body'

export const REPORT_PREFIX = '/provider-reports/'

interface ReceiveDependencies extends ReportDependencies {
  /** Under which carriers call us, where it differs from what the socket sees. */
  publicUrl: string | undefined
}

/** Answers how many of the reports were about a message we wait for. Throws `not_found`, `unauthorized` or `invalid`. */
export async function receiveReports(
  deps: ReceiveDependencies,
  request: Request,
  url: URL,
): Promise<{ recorded: number }> {
  const name = url.pathname.slice(REPORT_PREFIX.length)
  const provider = request.method === 'POST' ? await deps.providerNamed(name) : undefined
  if (!provider?.readReports) throw new Refusal('not_found', 'No such provider')
  const reports = provider.readReports({
    url: `${deps.publicUrl ?? url.origin}${url.pathname}${url.search}`,
    headers: request.headers,
    query: url.searchParams,
    text: await readText(request),
  })
  if (!reports) throw new Refusal('unauthorized', 'The secret or signature of this report is wrong')
  let recorded = 0
  for (const report of reports) if (await recordReport(deps, provider.name, report)) recorded++
  return { recorded }
}
