/** What a link or a cookie holds. Stored is its hash: a copy of the database opens nothing. */
import { createHash } from 'node:crypto'
import type { Random } from '../../ports/random'

const TOKEN_BYTES = 32
export const newToken = (random: Random) => Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url')
export const tokenHash = (token: string): Uint8Array => createHash('sha256').update(token).digest()
