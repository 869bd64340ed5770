/** Formatting the phone number field, and the number that is sent. */
import { foldedNumber, plainNumber, plainText } from '../typed-text'

/**
 * Formats a number while it is typed, for example with `AsYouType` of libphonenumber-js. `typed` has digits only, and perhaps a plus.
 * A result with other digits is not shown.
 */
export type FormatPhoneNumber = (typed: string, country: string) => string

export interface Typed {
  value: string
  caret: number
}

interface Edit extends Typed {
  country: string
  format: FormatPhoneNumber | undefined
  isDeletion: boolean
}

/** The formatted value, with the caret behind the same digit as before. */
export function typedNumber({ value, caret, country, format, isDeletion }: Edit): Typed {
  const plain = plainText(value)
  // Otherwise a deleted bracket would come back, and the digits before it could not be deleted.
  const shown = format && !isDeletion ? formatted(plain, country, format) : plain
  return { value: shown, caret: placeBehind(shown, marksIn(plainText(value.slice(0, caret))).length) }
}

/**
 * A text that is more than a number stays as it is, and is refused: formatted, an extension would become the last digits of
 * somebody else.
 */
function formatted(plain: string, country: string, format: FormatPhoneNumber): string {
  // A number pasted behind its calling code has the code twice.
  const folded = foldedNumber(plain).replace(/^\+(\d{1,3})(?=\+\1)/, '')
  const isNumber = /^\+?\d*$/.test(folded) && folded.startsWith('+') === plain.includes('+')
  const shown = isNumber ? format(folded, country) : plain
  return marksIn(shown).join('') === folded ? shown : plain
}

const MARK = /[\d+]/g

const marksIn = (text: string): string[] => text.match(MARK) ?? []

/** The caret moves to the end where no digit follows, so that typing continues behind a bracket. */
function placeBehind(text: string, marks: number): number {
  const ends = [...text.matchAll(MARK)].map(({ index }) => index + 1)
  return marks === ends.length ? text.length : (ends[marks - 1] ?? 0)
}

/** Adds the calling code unless there is one. The service handles a leading zero. */
export function wholeNumber(typed: string, callingCode: string): string | undefined {
  const plain = plainNumber(typed)
  if (!/\d/.test(plain)) return undefined
  return plain.startsWith('+') ? plain : `+${callingCode} ${plain}`
}

export const isInternational = (typed: string) => plainNumber(typed).startsWith('+')

/** Field value of a stored number, without the calling code of the selected country. */
export function typedOf(phoneNumber: string, callingCode: string): string {
  const prefix = `+${callingCode} `
  return phoneNumber.startsWith(prefix) ? phoneNumber.slice(prefix.length) : phoneNumber
}
