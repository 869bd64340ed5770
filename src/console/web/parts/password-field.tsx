/** Password field that can be revealed, so it needs no repetition, and helpers for TOTP codes. */
import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useState } from 'react'
import { inWords, useWords } from '../i18n/words'

/** Same minimum as the contract; the server decides. */
const LEAST_CHARACTERS = 12

const words = inWords({
  en: {
    show: 'Show password',
    hide: 'Hide password',
    least: `At least ${LEAST_CHARACTERS} characters. A few words in a row are easy to remember.`,
    short: `Use at least ${LEAST_CHARACTERS} characters.`,
  },
  ko: {
    show: '비밀번호 표시',
    hide: '비밀번호 숨기기',
    least: `${LEAST_CHARACTERS}자 이상 입력하세요. 단어 몇 개를 이어 쓰면 기억하기 쉽습니다.`,
    short: `비밀번호는 ${LEAST_CHARACTERS}자 이상이어야 합니다.`,
  },
})

export function PasswordField(props: PasswordInputProps) {
  const say = useWords(words)
  const [isVisible, setVisible] = useState(false)
  return (
    <PasswordInput
      autoComplete="current-password"
      visible={isVisible}
      onVisibilityChange={setVisible}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': isVisible ? say.hide : say.show, 'aria-pressed': undefined }}
      {...props}
    />
  )
}

/** Field for a new password. */
export function NewPasswordField(props: PasswordInputProps) {
  return <PasswordField autoComplete="new-password" description={useWords(words).least} {...props} />
}

/** Validates a new password. */
export function useNewPassword(): (password: string) => string | undefined {
  const say = useWords(words)
  return (password) => (password.length < LEAST_CHARACTERS ? say.short : undefined)
}

/** Authenticator apps show codes with a space in the middle, so spaces are removed. */
export const digitsOf = (totp: string): string => totp.replaceAll(/\s/g, '')

export const isTotp = (typed: string): boolean => /^\d{6}$/.test(digitsOf(typed))
