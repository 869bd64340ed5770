/** Input handling of the fields. */
import { readCode } from '../flow/code'
import { type FormatPhoneNumber, typedNumber } from './number'

interface NumberFields {
  phone: HTMLInputElement
  country: HTMLSelectElement
}

/** Formats the number while it is typed, until `until` fires. */
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

/** Calls once a code is complete: typed, pasted or autofilled. */
export function readCodes(field: HTMLInputElement, check: (code: string) => void, until?: AbortSignal): void {
  const options = until ? { signal: until } : {}
  let before = ''
  const write = () => {
    const code = typedCode(field.value, before)
    field.value = code
    // A rejected character changes nothing, and the code is not verified again.
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

/** Value of the code field: at most six digits. From a pasted message only the code is taken. */
export function typedCode(text: string, before: string): string {
  const digits = text.normalize('NFKC').replace(/\D/g, '')
  return readCode(text) ?? (digits.length > CODE_LENGTH ? before : digits)
}

export const isWhole = (code: string) => code.length === CODE_LENGTH

const CODE_LENGTH = 6
