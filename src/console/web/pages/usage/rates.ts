/** Shares of counts; undefined where there is nothing to share. */
import type { client } from '../../api'

export type ShownUsage = Awaited<ReturnType<typeof client.usage.show>>
export type UsageTotals = ShownUsage['total']

export const share = (part: number, whole: number) => (whole === 0 ? undefined : part / whole)

/** Of the deliveries whose end is known: not every carrier reports. */
export const deliveryRate = ({ delivered, failed }: UsageTotals) => share(delivered, delivered + failed)

export const conversion = ({ verified, issued }: UsageTotals) => share(verified, issued)
