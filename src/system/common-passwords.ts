/** Passwords that whoever guesses tries first. */

/** Shorter parts of a password say little about the whole. */
const LEAST_SHARE = 0.5

/**
 * Whether a password is one of the 49,000 most common ones: whole, without the digits and signs around it, or as one that is
 * repeated. Case does not matter.
 */
export function isCommonPassword(password: string): boolean {
  const lower = password.toLowerCase()
  const bare = lower.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  const repeated = /^(.+?)\1+$/su.exec(lower)?.[1]
  if (repeated !== undefined && [...repeated].length === 1) return true
  const forms = [lower, repeated, bare.length >= lower.length * LEAST_SHARE ? bare : undefined]
  return forms.some((form) => form !== undefined && commonOnes().has(form))
}

let known: ReadonlySet<string> | undefined

/** Loaded when somebody chooses a password: a start has no use for it. */
function commonOnes(): ReadonlySet<string> {
  if (!known) {
    const { dictionary } = require('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common')
    known = new Set(dictionary['passwords-common'])
  }
  return known
}
