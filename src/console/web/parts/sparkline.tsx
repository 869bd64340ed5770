/** The course of a figure, without axes; the numbers stand beside it. */
const WIDTH = 160
const HEIGHT = 24
/** The line is as thick at the edges as elsewhere. */
const EDGE = 2

/** Draws nothing if nothing was counted. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(0, ...values)
  if (most === 0) return null
  const step = (WIDTH - 2 * EDGE) / Math.max(1, values.length - 1)
  const points = values.map((value, index) => {
    const height = (value / most) * (HEIGHT - 2 * EDGE)
    return `${(EDGE + index * step).toFixed(1)},${(HEIGHT - EDGE - height).toFixed(1)}`
  })
  return (
    <svg width="100%" height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="xMinYMid" aria-hidden>
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="var(--mantine-primary-color-filled)"
        strokeWidth={1.5}
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  )
}
