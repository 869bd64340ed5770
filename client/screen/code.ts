/** What is typed into the field of the code. */
import { readCode } from '../flow/code'

/** Digits, six at most: a seventh is not taken. A whole message, pasted or filled in, is the code in it. */
export function typedCode(text: string, before: string): string {
  const digits = text.normalize('NFKC').replace(/\D/g, '')
  return readCode(text) ?? (digits.length > CODE_LENGTH ? before : digits)
}

export const isWhole = (code: string) => code.length === CODE_LENGTH

const CODE_LENGTH = 6
