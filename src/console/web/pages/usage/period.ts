/** Periods of charts by hours and days of UTC. */
import { useEffect, useMemo, useState } from 'react'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../domain/shared/value'
import { useLanguage } from '../../i18n/words'

interface Period {
  from: number
  to: number
  by: 'hour' | 'day'
}

const DAYS = { '24h': 1, '7d': 7, '30d': 30 } as const

export function periodOf({ range = '24h' }: { range?: keyof typeof DAYS }, now: number): Period {
  const [by, stepMs] = range === '24h' ? (['hour', HOUR_MS] as const) : (['day', DAY_MS] as const)
  const end = Math.ceil(now / stepMs) * stepMs
  return { from: end - DAYS[range] * DAY_MS, to: end, by }
}

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
