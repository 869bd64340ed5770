/** List of events in order of time. */
import { Group, Text, ThemeIcon } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useFormats } from '../i18n/format'
import { inWords, useWords } from '../i18n/words'
import styles from './steps.module.css'
import { Time } from './time'

export type Tone = 'good' | 'bad' | 'doubtful' | 'plain' | 'waiting'

const COLORS: Record<Tone, string> = { good: 'green', bad: 'red', doubtful: 'yellow', plain: 'indigo', waiting: 'gray' }

export interface StepView {
  /** Unique in its list. */
  key: string
  icon: Icon
  tone: Tone
  title: ReactNode
  /** Missing if unknown or not yet reached. */
  at?: number | undefined
  detail?: ReactNode
}

const words = inWords({
  en: { after: (seconds: string) => `+${seconds} s` },
  ko: { after: (seconds) => `+${seconds}초` },
})

/** Times are relative to `since`. */
export function Steps({ steps, label, since }: { steps: readonly StepView[]; label: string; since: number }) {
  const say = useWords(words)
  const formats = useFormats()
  return (
    <ol aria-label={label}>
      {steps.map(({ key, icon: StepIcon, tone, title, at, detail }) => (
        <li key={key} className={styles.step}>
          <ThemeIcon variant="light" color={COLORS[tone]} radius="xl" size={28} aria-hidden>
            <StepIcon size={16} stroke={1.8} />
          </ThemeIcon>
          <div>
            <Group justify="space-between" gap="xs" align="baseline">
              <Text component="span" fw={500} size="sm">
                {title}
              </Text>
              {at !== undefined && (
                <Text component="span" size="xs" c="dimmed">
                  <Time at={at} /> {at - since >= 100 && say.after(formats.number(Math.round((at - since) / 100) / 10))}
                </Text>
              )}
            </Group>
            {detail && (
              <Text component="div" size="sm" c="dimmed">
                {detail}
              </Text>
            )}
          </div>
        </li>
      ))}
    </ol>
  )
}
