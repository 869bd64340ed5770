/** A time in the chosen time zone, with UTC on hover or focus. */
import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import { type Formats, useFormats } from '../i18n/format'

export interface TimeProps {
  /** Unix milliseconds. */
  at: number
  /** Relative time such as “3 minutes ago”, updated while it is shown. */
  relative?: boolean
}

export function Time({ at, relative = false }: TimeProps) {
  const formats = useFormats()
  const now = useNow(relative)
  const utc = formats.utc(at)
  return (
    <Tooltip label={relative ? `${formats.time(at)} · ${utc}` : utc}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the other time is there for keyboards too */}
      <time dateTime={new Date(at).toISOString()} tabIndex={0}>
        {shown(formats, at, relative ? now : undefined)}
      </time>
    </Tooltip>
  )
}

const shown = (formats: Formats, at: number, now: number | undefined) =>
  now === undefined ? formats.time(at) : formats.relative(at, now)

const TICK_MS = 10_000

function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isTicking) return
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [isTicking])
  return now
}
