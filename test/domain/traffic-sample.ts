/** What tests of traffic start from. */
import type { TrafficHour } from '../../src/abuse/rules/baseline'
import type { IssueSample } from '../../src/abuse/rules/wish'
import { DAY_MS, HOUR_MS } from '../../src/domain/shared/value'
import { NOW } from './sample'

/** A code for Korea of a browser key, made at `NOW`; its message has arrived, and nobody has typed it. */
export const aSighting = (changes: Partial<IssueSample> = {}): IssueSample => ({
  ...{ issueId: 'one', kind: 'pk', country: 'KR', prefix: 'a prefix', network: 'a network', phone: 1 },
  ...{ createdAt: NOW, verifiedAt: undefined, isReplaced: false, isEvidence: true, price: 1, messages: 1 },
  ...changes,
})

interface EachHour {
  verified: number
  unverified: number
}

/** Fourteen whole days before `NOW` that were alike, so many in each hour. */
export const weeksOf = ({ verified, unverified }: EachHour, country = 'KR') =>
  Array.from({ length: 14 * 24 }, (_, n) => ({
    ...{ kind: 'pk' as const, country, hour: Math.floor(NOW / DAY_MS) * DAY_MS - (n + 1) * HOUR_MS },
    ...{ sent: verified + unverified, credits: verified + unverified, verified, unverified },
  })) satisfies TrafficHour[]
