import { randomBytes, randomInt } from 'node:crypto'
import { v7 } from 'uuid'
import type { Random } from '../ports'

/** The platform's cryptographic source. */
export const systemRandom: Random = {
  bytes: (length) => randomBytes(length),
  below: (max) => randomInt(max),
  uuid: (now) => v7({ msecs: now, random: randomBytes(16), seq: randomInt(2 ** 31) }),
}
