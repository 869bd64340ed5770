/** A failure in the reader's language, with the request id for the server's log. */
import { Alert, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { problemOf } from '../api'
import { inWords, useWords } from '../i18n/words'
import { CopyButton } from './copy'

const words = inWords({
  en: { title: 'That did not work', request: 'Request id' },
  ko: { title: '처리하지 못했습니다', request: '요청 ID' },
})

export interface ProblemNoteProps {
  failure: unknown
  /** The action that helps. */
  children?: ReactNode
}

export function ProblemNote({ failure, children }: ProblemNoteProps) {
  const say = useWords(words)
  const { message, field, requestId } = problemOf(failure)
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={say.title} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{field === undefined ? message : `${field}: ${message}`}</Text>
        {requestId !== undefined && (
          <Group gap={4} wrap="nowrap">
            <Text size="xs" ff="monospace">
              {say.request} {requestId}
            </Text>
            <CopyButton value={requestId} what={say.request} />
          </Group>
        )}
        {children}
      </Stack>
    </Alert>
  )
}
