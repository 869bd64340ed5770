/** What an entry says beside who and what, one thing a line. */
import { Code, Text } from '@mantine/core'
import styles from './detail.module.css'

export function Detail({ detail }: { detail: Record<string, unknown> }) {
  const entries = Object.entries(detail).filter(([, value]) => !isEmpty(value))
  if (entries.length === 0) return null
  return (
    <dl className={styles.detail}>
      {entries.map(([name, value]) => (
        <div key={name}>
          <Text component="dt" size="xs" c="dimmed">
            {name}
          </Text>
          <dd>
            <Code>{plain(value)}</Code>
          </dd>
        </div>
      ))}
    </dl>
  )
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0)

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${plain(inner)}`)
    .join(', ')
}
