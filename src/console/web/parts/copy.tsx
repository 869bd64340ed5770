/** Copy buttons, and secrets that are shown once. */
import { ActionIcon, Alert, Button, Code, Group, Stack, Text, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy, IconEyeOff } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { frameWords } from '../i18n/frame'
import { inWords, useWords } from '../i18n/words'
import { AsWritten } from './text'

const COPIED_MS = 2_000

/** Only secure origins may use the clipboard API; elsewhere the older command works. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}

function useCopy(value: string): { isCopied: boolean; copy: () => void } {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  return { isCopied, copy: () => copyText(value).then(() => setCopied(true)) }
}

export interface CopyButtonProps {
  value: string
  /** Accessible name of the copied value. */
  what?: string
}

export function CopyButton({ value, what }: CopyButtonProps) {
  const say = useWords(frameWords)
  const { isCopied, copy } = useCopy(value)
  const label = isCopied ? say.copied : what === undefined ? say.copy : `${say.copy}: ${what}`
  return (
    <Tooltip label={isCopied ? say.copied : say.copy}>
      <ActionIcon variant="subtle" color={isCopied ? 'teal' : 'gray'} size="sm" onClick={copy} aria-label={label}>
        {isCopied ? <IconCheck size={15} aria-hidden /> : <IconCopy size={15} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  )
}

/** A value to copy as a whole: a command, a link or a key. */
export function CopyBlock({ value, label }: { value: string; label: string }) {
  const say = useWords(frameWords)
  const { isCopied, copy } = useCopy(value)
  // Multi-line text keeps its lines and scrolls.
  const hasLines = value.includes('\n')
  return (
    <Stack gap={4}>
      <Group justify="space-between" align="flex-end" wrap="nowrap">
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <Button
          size="compact-xs"
          variant="default"
          flex="none"
          onClick={copy}
          aria-label={`${isCopied ? say.copied : say.copy}: ${label}`}
          leftSection={isCopied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
        >
          {isCopied ? say.copied : say.copy}
        </Button>
      </Group>
      <Code block tabIndex={0} aria-label={label} role="region">
        {hasLines ? (
          value
        ) : (
          <AsWritten component="span" inherit>
            {value}
          </AsWritten>
        )}
      </Code>
    </Stack>
  )
}

const words = inWords({
  en: {
    title: 'Shown this once',
    about: 'Store it in a safe place now: nobody can show it again, not even the operator of this server.',
    stored: 'I have stored it',
  },
  ko: {
    title: '지금 한 번만 표시됩니다',
    about: '지금 안전한 곳에 보관하세요. 서버 운영자도 다시 보여 줄 수 없습니다.',
    stored: '보관했습니다',
  },
})

export interface SecretOnceProps {
  secret: string
  label: string
  onDone(): void
  /** Advice on the use of the secret, for example a command in a `CopyBlock`. */
  children?: ReactNode
}

export function SecretOnce({ secret, label, onDone, children }: SecretOnceProps) {
  const say = useWords(words)
  return (
    <Stack>
      <Alert color="yellow" icon={<IconEyeOff aria-hidden />} title={say.title}>
        {say.about}
      </Alert>
      <CopyBlock value={secret} label={label} />
      {children}
      <Group justify="flex-end">
        <Button onClick={onDone}>{say.stored}</Button>
      </Group>
    </Stack>
  )
}
