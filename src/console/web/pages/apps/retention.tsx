/** How long an app's live issues are kept. */
import { NumberInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { RETENTION_DAYS } from '../../../../domain/access/app'
import { inWords, useWords } from '../../i18n/words'
import { useServerRetention } from '../../scope'

const words = inWords({
  en: {
    label: 'Days live issues are kept',
    about: 'With what was tried and told of them. The ledger stays. Empty: as the server is set.',
    asServer: (days: number) => `As the server: ${days}`,
  },
  ko: {
    label: '운영 발급 내역 보관 일수',
    about: '발송 시도와 웹훅 이벤트도 함께 삭제됩니다. 원장은 남습니다. 비워 두면 서버 설정을 따릅니다.',
    asServer: (days) => `서버 설정대로: ${days}`,
  },
})

interface RetentionFieldProps {
  value: number | undefined
  error?: ReactNode
  onChange(days: number | undefined): void
}

export function RetentionField({ value, error, onChange }: RetentionFieldProps) {
  const say = useWords(words)
  const byServer = useServerRetention()
  return (
    <NumberInput
      label={say.label}
      description={say.about}
      placeholder={say.asServer(byServer)}
      {...RETENTION_DAYS}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={false}
      hideControls
      value={value ?? ''}
      onChange={(days) => onChange(typeof days === 'number' ? days : undefined)}
      error={error}
    />
  )
}
