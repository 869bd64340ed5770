/**
 * Reads the six digits of an entered text: full-width digits, `123 456`, or a whole message. Undefined where there is
 * no single code.
 */
export function readCode(text: string): string | undefined {
  const plain = text.normalize('NFKC')
  const compact = plain.replace(/[^\p{L}\p{N}]/gu, '')
  if (isCode(compact)) return compact
  const codes = plain.split(/\D+/).filter(isCode)
  return codes.length === 1 ? codes[0] : undefined
}

const isCode = (text: string) => /^[0-9]{6}$/.test(text)
