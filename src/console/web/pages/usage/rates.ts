/** Ratios of counts; undefined if the whole is zero. */
import type { client } from '../../api'

export type ShownUsage = Awaited<ReturnType<typeof client.usage.show>>
type UsageTotals = Pick<ShownUsage['total'], 'issued' | 'delivered' | 'failed' | 'verified'>

type ShownReport = Awaited<ReturnType<typeof client.usage.report>>
export type ReportTotal = ShownReport['total']
export type ReportTableRow = ShownReport['rows'][number]

export const share = (part: number, whole: number) => (whole === 0 ? undefined : part / whole)

/** Counts only reported deliveries, since not every carrier sends reports. */
export const deliveryRate = ({ delivered, failed }: UsageTotals) => share(delivered, delivered + failed)

export const conversion = ({ verified, issued }: UsageTotals) => share(verified, issued)
