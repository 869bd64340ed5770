import { randomBytes, randomInt } from 'node:crypto'
import type { Random } from '../ports/random'

/** The platform's cryptographic source. */
export const systemRandom: Random = {
  bytes: (length) => randomBytes(length),
  below: (max) => randomInt(max),
  uuid: (now) => Bun.randomUUIDv7('hex', now),
}
