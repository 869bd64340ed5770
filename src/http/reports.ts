/** `POST /provider-reports/<name>`: what carriers report of messages they took. */
import { notFound, unauthorized } from '../domain/error'
import type { Provider } from '../ports'
import { type ReportDependencies, recordReport } from '../usecases/record-report'
import { readJsonBody } from './json-body'

export const REPORT_PREFIX = '/provider-reports/'

/** Answers how many of the reports were about a message we wait for. Throws `not_found`, `unauthorized` or `invalid`. */
export async function receiveReports(
  deps: ReportDependencies,
  request: Request,
  url: URL,
): Promise<{ recorded: number }> {
  const name = url.pathname.slice(REPORT_PREFIX.length)
  const provider: Provider | undefined = request.method === 'POST' ? await deps.providerNamed(name) : undefined
  if (!provider?.readReports) throw notFound('provider')
  const callback = { headers: request.headers, query: url.searchParams }
  // Who calls is checked before what is said is read.
  if (!provider.readReports({ ...callback, body: undefined })) throw unauthorized()
  const reports = provider.readReports({ ...callback, body: await readJsonBody(request, { allowArray: true }) }) ?? []
  let recorded = 0
  for (const report of reports) if (await recordReport(deps, provider.name, report)) recorded++
  return { recorded }
}
