/** The period of the usage page and its interval. Days are UTC days, as in the rollups. */
import { useEffect, useMemo, useState } from 'react'
import { useLanguage } from '../../i18n/words'
import type { UsageSearch } from '../search-params'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Maximum of hours in one chart; more would be unreadable. */
const MAX_HOURS = 14 * 24

export interface Period {
  from: number
  to: number
  by: 'hour' | 'day'
  /** The only possible interval: too few hours for days, or too many for hours. */
  only?: 'hour' | 'day'
}

export const dayText = (at: number) => new Date(at).toISOString().slice(0, 10)

const DAYS = { '24h': 1, '7d': 7, '30d': 30 } as const

export function periodOf({ range = '24h', from, to, by }: UsageSearch, now: number): Period {
  if (range === 'custom') {
    const first = Date.parse(from ?? dayText(now - 6 * DAY_MS))
    const last = Math.max(first, Date.parse(to ?? dayText(now)))
    return stepped(first, last + DAY_MS, by)
  }
  if (range === '24h') {
    const end = Math.ceil(now / HOUR_MS) * HOUR_MS
    return { from: end - DAY_MS, to: end, by: 'hour', only: 'hour' }
  }
  const end = Math.ceil(now / DAY_MS) * DAY_MS
  return stepped(end - DAYS[range] * DAY_MS, end, by)
}

function stepped(from: number, to: number, by: 'hour' | 'day' | undefined): Period {
  const hours = (to - from) / HOUR_MS
  if (hours <= 24) return { from, to, by: 'hour', only: 'hour' }
  if (hours > MAX_HOURS) return { from, to, by: 'day', only: 'day' }
  return { from, to, by: by ?? 'day' }
}

/** The previous period of the same length. */
export const before = ({ from, to, by }: Period): Period => ({ from: from - (to - from), to: from, by })

const MINUTE_MS = 60_000

/** The current time, updated every minute. */
export function useMinute(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** Labels of hours and days on axes and in tables, in UTC. */
export function useStepNames(by: 'hour' | 'day'): (at: number) => string {
  const language = useLanguage()
  return useMemo(() => {
    const format = new Intl.DateTimeFormat(language, {
      timeZone: 'UTC',
      month: 'numeric',
      day: 'numeric',
      ...(by === 'hour' && { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    })
    return (at) => format.format(at)
  }, [language, by])
}
