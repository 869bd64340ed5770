import type { Passwords } from '../ports/vault'

/** Compared where there is no such operator, so that the time is the same. */
const HASH_OF_NO_PASSWORD =
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$4qzqhRb9LnYQHr8Zr4fJ4aN9vGWZEn8dqEwbxkhN1bM'

/** argon2id of Bun, with the parameters of OWASP; it runs off the main thread. */
export const systemPasswords: Passwords = {
  hash: (password) => Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 }),
  async verify(password, hash) {
    const isRight = await Bun.password.verify(password, hash ?? HASH_OF_NO_PASSWORD).catch(() => false)
    return hash !== undefined && isRight
  },
  isCommon: isCommonPassword,
}

/** A shorter part says little about the whole password. */
const MIN_LETTER_SHARE = 0.5

/**
 * Whether a password is one of the 49,000 most common ones, or the name of this product: as a whole, without digits and signs around it, or as a repetition.
 * Case does not matter.
 */
export function isCommonPassword(password: string): boolean {
  const lower = password.toLowerCase()
  const bare = lower.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  const repeated = /^(.+?)\1+$/su.exec(lower)?.[1]
  if (repeated !== undefined && [...repeated].length === 1) return true
  const forms = [lower, repeated, bare.length >= lower.length * MIN_LETTER_SHARE ? bare : undefined]
  return forms.some((form) => form !== undefined && (commonPasswords().has(form) || form === 'watchword'))
}

let known: ReadonlySet<string> | undefined

/** Loaded when a password is chosen, since a start does not need it. */
function commonPasswords(): ReadonlySet<string> {
  if (!known) {
    const { dictionary } = require('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common')
    known = new Set(dictionary['passwords-common'])
  }
  return known
}
