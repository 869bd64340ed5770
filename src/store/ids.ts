/** UUIDv7 as text and as 16 bytes. An id carries its creation time, so a time range is an id range. */

const UUID_CHARACTERS = 36
const UUID_BYTES = 16

/** Values of the hexadecimal digits by character code. */
const DIGITS: number[] = []
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16)
  for (const written of [digit, digit.toUpperCase()]) DIGITS[written.charCodeAt(0)] = value
}

/**
 * A text that is not a UUID becomes fewer bytes, which match no row. It decodes digit by digit because issuing a code
 * needs some sixteen of these, and removing the hyphens first takes several times as long.
 */
export function uuidBytes(uuid: string): Uint8Array {
  const bytes = new Uint8Array(UUID_BYTES)
  if (uuid.length !== UUID_CHARACTERS) return bytes.subarray(0, 0)
  for (let n = 0, at = 0; n < UUID_BYTES; n++, at += 2) {
    if (n === 4 || n === 6 || n === 8 || n === 10) at++
    const high = DIGITS[uuid.charCodeAt(at)]
    const low = DIGITS[uuid.charCodeAt(at + 1)]
    if (high === undefined || low === undefined) return bytes.subarray(0, n)
    bytes[n] = high * 16 + low
  }
  return bytes
}

const HYPHEN = '-'.charCodeAt(0)
const LETTERS = Buffer.from('0123456789abcdef')
const WRITTEN = Buffer.alloc(UUID_CHARACTERS)

/** Writes into one shared buffer: joining strings would leave several times as much garbage for each row read. */
export function uuidText(value: Uint8Array): string {
  for (let n = 0, at = 0; n < UUID_BYTES; n++) {
    if (n === 4 || n === 6 || n === 8 || n === 10) WRITTEN[at++] = HYPHEN
    const byte = value[n] ?? 0
    WRITTEN[at++] = LETTERS[byte >> 4] ?? 0
    WRITTEN[at++] = LETTERS[byte & 15] ?? 0
  }
  return WRITTEN.toString('latin1')
}

export const BEYOND_ALL_IDS = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
export const NIL_ID = '00000000-0000-0000-0000-000000000000'

/** The smallest id that a row created at or after `at` (Unix milliseconds) can have. */
export function idFloor(at: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.min(Math.max(Math.ceil(at), 0), 2 ** 48 - 1), 0, 6)
  return uuidText(bytes)
}

/** When the row with this id was created, Unix milliseconds. */
export const idTime = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
