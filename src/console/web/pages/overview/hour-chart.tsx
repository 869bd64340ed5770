import { useFormats } from '../../i18n/format'
import { CountBars, WHOLE } from '../../parts/charts'

export interface HourChartProps {
  height: number
  issued: string
  verified: string
  hours: readonly { hour: string; issued: number; verified: number }[]
}

export default function HourChart({ height, issued, verified, hours }: HourChartProps) {
  const formats = useFormats()
  return (
    <CountBars
      h={height}
      data={[...hours]}
      dataKey="hour"
      valueFormatter={formats.number}
      yAxisProps={{ ...WHOLE, tickFormatter: formats.short }}
      series={[
        { name: 'issued', label: issued, color: 'indigo.6' },
        { name: 'verified', label: verified, color: 'teal.6' },
      ]}
    />
  )
}
