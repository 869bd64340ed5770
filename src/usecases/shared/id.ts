/** Identifiers and tokens that are drawn at random. */

import { createHash } from 'node:crypto'
import type { Random } from '../../ports/vault'

const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Such as `app_4k2m9x0c7q1z`. */
export const newId = (random: Random, prefix: string) =>
  `${prefix}_${Array.from({ length: 12 }, () => ID_ALPHABET[random.below(ID_ALPHABET.length)]).join('')}`

/** The secret of a link or a cookie. Only its hash is stored, so a copy of the database opens nothing. */
const TOKEN_BYTES = 32
export const newToken = (random: Random) => Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url')
export const tokenHash = (token: string): Uint8Array => createHash('sha256').update(token).digest()
