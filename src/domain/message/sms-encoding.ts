/** Encodes SMS texts: GSM 03.38 where it has every character, else UCS-2; long texts are split into parts. */

/** The default alphabet in the order of its codes; the position of ESC is never matched. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\0ÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const ESCAPE = 0x1b
const EXTENSION: Readonly<Record<string, number>> = {
  '\f': 0x0a,
  '^': 0x14,
  '{': 0x28,
  '}': 0x29,
  '\\': 0x2f,
  '[': 0x3c,
  '~': 0x3d,
  ']': 0x3e,
  '|': 0x40,
  '€': 0x65,
}

interface Alphabet {
  dataCoding: number
  /** Bytes of an unsplit message, and of a part without its header. */
  single: number
  part: number
}

/** Seven-bit characters, one per byte; the carrier packs them. */
const GSM: Alphabet = { dataCoding: 0x00, single: 160, part: 153 }
const UCS2: Alphabet = { dataCoding: 0x08, single: 140, part: 134 }

export interface EncodedText {
  dataCoding: number
  /** Whether each part begins with a user data header. */
  hasHeader: boolean
  parts: Buffer[]
}

/** Each carrier chooses its default alphabet, which data_coding 0 stands for: SMPP 3.4, 5.2.19. */
export const DEFAULT_ALPHABETS = ['gsm', 'latin1', 'ascii'] as const
export type DefaultAlphabet = (typeof DEFAULT_ALPHABETS)[number]

/** `reference` (0 to 255) ties the parts of one message together. */
export function encodeText(text: string, reference: number, alphabet: DefaultAlphabet = 'gsm'): EncodedText {
  // By code point, so that no part ends in the middle of a surrogate pair or an escape sequence.
  const characters = [...text]
  const inDefault = characters.map(alphabet === 'gsm' ? gsmBytes : (character) => byteOf(character, HIGHEST[alphabet]))
  return inDefault.every((bytes) => bytes !== undefined)
    ? inParts(GSM, inDefault, reference)
    : inParts(UCS2, characters.map(ucs2Bytes), reference)
}

const HIGHEST = { latin1: 0xff, ascii: 0x7e } as const

/** The carrier sends it on in GSM 03.38, so a character that GSM lacks is left to UCS-2. */
const byteOf = (character: string, highest: number): Buffer | undefined =>
  character.length === 1 && character.charCodeAt(0) <= highest && gsmBytes(character)?.length === 1
    ? Buffer.from(character, 'latin1')
    : undefined

function gsmBytes(character: string): Buffer | undefined {
  const extended = Object.hasOwn(EXTENSION, character) ? EXTENSION[character] : undefined
  if (extended !== undefined) return Buffer.from([ESCAPE, extended])
  const basic = character === '\0' ? -1 : BASIC.indexOf(character)
  return basic < 0 ? undefined : Buffer.from([basic])
}

const ucs2Bytes = (character: string): Buffer => Buffer.from(character, 'utf16le').swap16()

function inParts({ dataCoding, single, part }: Alphabet, characters: Buffer[], reference: number): EncodedText {
  const whole = Buffer.concat(characters)
  if (whole.length <= single) return { dataCoding, hasHeader: false, parts: [whole] }
  const bodies = filled(characters, part)
  return {
    dataCoding,
    hasHeader: true,
    parts: bodies.map((body, index) => Buffer.concat([partHeader(reference, bodies.length, index + 1), body])),
  }
}

function filled(characters: Buffer[], size: number): Buffer[] {
  const bodies: Buffer[][] = [[]]
  let room = size
  for (const character of characters) {
    if (character.length > room) {
      bodies.push([])
      room = size
    }
    bodies.at(-1)?.push(character)
    room -= character.length
  }
  return bodies.map((body) => Buffer.concat(body))
}

/** Five bytes follow: element 0 (concatenated message, 8-bit reference) of three bytes. */
const partHeader = (reference: number, count: number, number: number) =>
  Buffer.from([5, 0, 3, reference, count, number])
