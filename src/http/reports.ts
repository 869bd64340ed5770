/** `POST` or `GET /provider-reports/<name>`: delivery reports of carriers. */

import { isSameSecret } from '../domain/access/api-key'
import { type ReportOutcome, tallyOf } from '../domain/delivery/report-tally'
import { Refusal, unavailable } from '../domain/shared/error'
import type { CallDocument, Carrier, ReportedMessage } from '../ports/carrier'
import type { Clock } from '../ports/clock'
import type { Node } from '../ports/node'
import { type ReportDependencies, recordReport } from '../usecases/record-report'
import { readCarrierText } from './json'

/** The number of recorded reports, a text that the carrier wants to read, or what a carrier says in a call. */
export type ReportAnswer = { recorded: number } | { text: string } | CallDocument

export const REPORT_PREFIX = '/provider-reports/'

export interface ReceiveDependencies extends ReportDependencies {
  node: ReportDependencies['node'] & Pick<Node, 'logSampler' | 'reports'>
  clock: Pick<Clock, 'now'>
  /** Reports that were asked to come again. */
  early: Set<string>
  /** The origin that carriers call, where it differs from the socket's. */
  publicUrl: string | undefined
}

/**
 * Returns how many reports were about a message that awaits one. Throws `not_found`, `unauthorized` or `invalid`, and `unavailable`
 * for a report that has overtaken the carrier's answer. An unknown carrier is answered like a wrong secret, so that names of
 * carriers are not revealed.
 */
export async function receiveReports(deps: ReceiveDependencies, request: Request, url: URL): Promise<ReportAnswer> {
  if (!['POST', 'GET'].includes(request.method)) throw new Refusal('not_found', 'No such path or method')
  const carrier = (await deps.carrierNamed(url.pathname.slice(REPORT_PREFIX.length))) ?? UNKNOWN_CARRIER
  const challenge = request.method === 'GET' ? carrier.answerChallenge?.(url.searchParams) : undefined
  if (challenge !== undefined) return { text: challenge }
  const callback = {
    url: `${deps.publicUrl ?? url.origin}${url.pathname}${url.search}`,
    headers: request.headers,
    query: url.searchParams,
    text: await readCarrierText(request),
  }
  if (carrier.answerCall && url.searchParams.has('answer')) return (await carrier.answerCall(callback)) ?? refuse()
  const readReports = carrier.readReports ?? UNKNOWN_CARRIER.readReports
  const note = (outcome: Parameters<typeof noteReport>[2]) => noteReport(deps, carrier.name, outcome)
  let reports: readonly ReportedMessage[] | undefined
  try {
    reports = await readReports(callback)
  } catch (error) {
    note('unreadable')
    throw error
  }
  if (!reports) {
    note('unauthorized')
    return refuse()
  }
  // States on the way are usual. Where nothing else comes, the metric tells that the settings know other words.
  if (reports.length === 0 && carrier.name)
    deps.telemetry.reportReceived({ carrier: carrier.name, outcome: 'undecided', unsaid: undefined })
  let recorded = 0
  let isEarly = false
  for (const report of reports) {
    const outcome = await recordReport(deps, carrier.name, report)
    if (outcome === 'recorded') recorded++
    if (outcome === 'early' && isFirst(deps, `${carrier.name} ${report.messageId}`)) isEarly = true
    else note(outcome === 'recorded' ? outcome : 'unmatched')
  }
  if (isEarly) throw unavailable('A message of this carrier is still on the way: report again', COME_AGAIN_MS)
  return carrier.reportAnswer === undefined ? { recorded } : { text: carrier.reportAnswer }
}

/** By then the carrier has answered. */
const COME_AGAIN_MS = 5_000
const REMEMBERED = 10_000

/** Whether a report is seen for the first time here: a stranger's is asked for once more, and not again and again. */
function isFirst({ early }: ReceiveDependencies, report: string): boolean {
  if (early.has(report)) return false
  early.add(report)
  // Sets keep the order in which things were added.
  if (early.size > REMEMBERED) early.delete(early.values().next().value as string)
  return true
}

/** Counted, and logged now and then: an integrator whose reports do not get in must find out why. */
export function noteReport(
  { telemetry, clock, node }: Pick<ReceiveDependencies, 'telemetry' | 'clock' | 'node'>,
  carrier: string,
  outcome: Exclude<ReportOutcome, 'undecided'>,
): void {
  // A name that nobody has set up is a stranger's word.
  if (carrier === '') return
  const unsaid =
    outcome === 'recorded' ? undefined : node.logSampler.next(`report ${carrier} ${outcome}`, clock.now())?.unsaid
  telemetry.reportReceived({ carrier, outcome, unsaid })
  node.reports.note(carrier, tallyOf(outcome, clock.now()))
}

function refuse(): never {
  throw new Refusal('unauthorized', 'The secret or signature of this report is wrong')
}

/** Accepts no report, and compares a secret as the others do, so that timing reveals nothing. */
const UNKNOWN_CARRIER: Pick<Carrier, 'name' | 'answerChallenge' | 'answerCall' | 'reportAnswer'> &
  Required<Pick<Carrier, 'readReports'>> = {
  name: '',
  readReports({ headers, query }) {
    isSameSecret(headers.get('authorization') ?? query.get('token') ?? '', '')
    return undefined
  },
}
