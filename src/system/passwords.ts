import type { Passwords } from '../ports/vault'
import { isCommonPassword } from './common-passwords'

/** What a password of nobody is compared with. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$4qzqhRb9LnYQHr8Zr4fJ4aN9vGWZEn8dqEwbxkhN1bM'

/** Bun's argon2id, with the parameters OWASP recommends; it works off the main thread. */
export const systemPasswords: Passwords = {
  hash: (password) => Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 }),
  async verify(password, hash) {
    const isRight = await Bun.password.verify(password, hash ?? NOBODY).catch(() => false)
    return hash !== undefined && isRight
  },
  isCommon: isCommonPassword,
}
