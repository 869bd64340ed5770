/** Input handling of the code field. */

import { readCode } from '../flow/code'
import { plainText } from '../typed-text'

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
  const digits = plainText(text).replace(/\D/g, '')
  return readCode(text) ?? (digits.length > CODE_LENGTH ? before : digits)
}

export const isWhole = (code: string) => code.length === CODE_LENGTH

const CODE_LENGTH = 6

/** Marks the box that the next digit goes to, or the boxes of the selected digits. */
export function markBox(field: HTMLInputElement, until?: AbortSignal): void {
  const mark = () => {
    const { selectionStart, selectionEnd } = field
    const first = Math.min(selectionStart ?? 0, CODE_LENGTH - 1)
    const last = Math.max(first, (selectionEnd ?? 0) - 1)
    for (const [index, cell] of [...(field.parentElement?.children ?? [])].entries())
      cell.toggleAttribute('data-here', first <= index && index <= last)
  }
  const options = until ? { signal: until } : {}
  for (const type of ['input', 'focus', 'keyup', 'pointerup', 'select']) field.addEventListener(type, mark, options)
}
