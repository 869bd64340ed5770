/** Ratios of counts; undefined if the whole is zero. */
import type { client } from '../../api'

type ShownReport = Awaited<ReturnType<typeof client.usage.report>>
export type ReportTotal = ShownReport['total']
export type ReportTableRow = ShownReport['rows'][number]

type UsageTotals = Pick<ReportTotal, 'issued' | 'delivered' | 'failed' | 'verified'>

export const share = (part: number, whole: number) => (whole === 0 ? undefined : part / whole)

/** Counts only reported deliveries, since not every carrier sends reports. */
export const deliveryRate = ({ delivered, failed }: UsageTotals) => share(delivered, delivered + failed)

export const conversion = ({ verified, issued }: UsageTotals) => share(verified, issued)
