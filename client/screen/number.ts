/** What is typed into the field of the phone number, and what is sent of it. */
import { callingCodeOf } from './countries'

/**
 * Writes a number as people of the country do, while it is typed: `AsYouType` of libphonenumber-js, for example. What it
 * answers has the same digits in the same order.
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

/** What the field has to show, with the caret behind the same digit as before. */
export function typedNumber({ value, caret, country, format, isDeletion }: Edit): Typed {
  // Full-width digits take as many places as plain ones.
  const plain = value.normalize('NFKC')
  // A bracket that was deleted would come back, and nobody could delete what is before it.
  const shown = format && !isDeletion ? format(plain, country) : plain
  return { value: shown, caret: placeBehind(shown, marksIn(plain.slice(0, caret))) }
}

const MARK = /[\d+]/g

const marksIn = (text: string) => text.match(MARK)?.length ?? 0

/** At the end where no more follows, so that what is typed next comes behind a bracket. */
function placeBehind(text: string, marks: number): number {
  const ends = [...text.matchAll(MARK)].map(({ index }) => index + 1)
  return marks === ends.length ? text.length : (ends[marks - 1] ?? 0)
}

/** With the country's code before it, unless it has one; the service knows what to make of a leading zero. */
export function wholeNumber(typed: string, country: string): string | undefined {
  const plain = typed.normalize('NFKC').trim()
  if (!/\d/.test(plain)) return undefined
  return plain.startsWith('+') ? plain : `+${callingCodeOf(country)} ${plain}`
}

/** What was typed for a number that is known, after a reload: without the country's code where that is the one chosen. */
export function typedOf(phoneNumber: string, country: string): string {
  const prefix = `+${callingCodeOf(country)} `
  return phoneNumber.startsWith(prefix) ? phoneNumber.slice(prefix.length) : phoneNumber
}
