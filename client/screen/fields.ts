/** What becomes of what is typed. */
import { readCode } from '../flow/code'
import { type FormatPhoneNumber, typedNumber } from './number'

interface NumberFields {
  phone: HTMLInputElement
  country: HTMLSelectElement
}

/** Writes the number as `format` says, until `until` fires. */
export function formatNumber(
  { phone, country }: NumberFields,
  format: () => FormatPhoneNumber | undefined,
  until?: AbortSignal,
): void {
  const options = until ? { signal: until } : {}
  const write = (isDeletion: boolean) => {
    const { value: before, selectionEnd } = phone
    const typed = { value: before, caret: selectionEnd ?? before.length, country: country.value }
    const { value, caret } = typedNumber({ ...typed, format: format(), isDeletion })
    if (value === before) return
    phone.value = value
    phone.setSelectionRange(caret, caret)
  }
  phone.addEventListener(
    'input',
    (event) => {
      const { isComposing, inputType } = event as InputEvent
      if (!isComposing) write(inputType?.startsWith('delete') ?? false)
    },
    options,
  )
  phone.addEventListener('compositionend', () => write(false), options)
  country.addEventListener('change', () => write(false), options)
}

/** Calls with a code as soon as all of it is there: typed, pasted or filled in by the browser. */
export function readCodes(field: HTMLInputElement, check: (code: string) => void, until?: AbortSignal): void {
  const options = until ? { signal: until } : {}
  let before = ''
  const write = () => {
    const code = typedCode(field.value, before)
    field.value = code
    // What cannot be typed changes nothing, and is not checked again.
    const isNew = code !== before
    before = code
    if (isNew && isWhole(code)) check(code)
  }
  field.addEventListener(
    'beforeinput',
    (event) => {
      if (!event.isComposing) before = field.value
    },
    options,
  )
  field.addEventListener(
    'input',
    (event) => {
      if (!(event as InputEvent).isComposing) write()
    },
    options,
  )
  field.addEventListener('compositionend', write, options)
  field.addEventListener(
    'paste',
    (event) => {
      const code = readCode(event.clipboardData?.getData('text') ?? '')
      if (code === undefined || field.readOnly) return
      event.preventDefault()
      field.value = code
      check(code)
    },
    options,
  )
}

/** Digits, six at most: a seventh is not taken. A whole message, pasted or filled in, is the code in it. */
export function typedCode(text: string, before: string): string {
  const digits = text.normalize('NFKC').replace(/\D/g, '')
  return readCode(text) ?? (digits.length > CODE_LENGTH ? before : digits)
}

export const isWhole = (code: string) => code.length === CODE_LENGTH

const CODE_LENGTH = 6
