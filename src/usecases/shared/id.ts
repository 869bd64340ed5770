/** Short identifiers that people read and type. */
import type { Random } from '../../ports/random'

const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Such as `app_4k2m9x0c7q1z`. */
export const newId = (random: Random, prefix: string) =>
  `${prefix}_${Array.from({ length: 12 }, () => ID_ALPHABET[random.below(ID_ALPHABET.length)]).join('')}`
