import { inWords, useWords } from '../../i18n/words'

const words = inWords({
  en: {
    days: (days: number, hours: number) => `${days} d ${hours} h`,
    hours: (hours: number, minutes: number) => `${hours} h ${minutes} min`,
    minutes: (minutes: number, seconds: number) => `${minutes} min ${seconds} s`,
  },
  ko: {
    days: (days, hours) => `${days}일 ${hours}시간`,
    hours: (hours, minutes) => `${hours}시간 ${minutes}분`,
    minutes: (minutes, seconds) => `${minutes}분 ${seconds}초`,
  },
})

/** As of now; the page looks again every moment. */
export function useUptime(startedAt: number | undefined): string {
  const say = useWords(words)
  if (startedAt === undefined) return ''
  const seconds = Math.max(0, Math.floor((Date.now() - startedAt) / 1_000))
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours >= 24) return say.days(Math.floor(hours / 24), hours % 24)
  return hours > 0 ? say.hours(hours, minutes % 60) : say.minutes(minutes, seconds % 60)
}
