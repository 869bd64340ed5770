/** What hours and days are called on axes and in tables. They are those of UTC, wherever the reader is. */
import { useMemo } from 'react'
import { useLanguage } from '../../i18n/language'

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
