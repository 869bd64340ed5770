/** Reads typed and pasted text. Pages and the server share these rules. */

/** Marks of direction, spaces without width and their like, which come along with copied text. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu

const IS_DIGIT = /\p{Nd}/u

/** Without invisible characters, and with the digits of every script as ASCII. */
export const plainText = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(/[^\P{Nd}0-9]/gu, asciiDigit)

/** Unicode has the ten digits of a script in a row. */
function asciiDigit(digit: string): string {
  const point = digit.codePointAt(0) ?? 0
  let zero = point
  while (IS_DIGIT.test(String.fromCodePoint(zero - 1))) zero--
  return String((point - zero) % 10)
}

/**
 * A phone number with `+` instead of `00`, as E.164 has it, and of Australia's `0011`: no number of America begins with 1.
 * Brackets, `tel:` and the `.0` of a spreadsheet are no part of it. Nobody means another country by its own exit codes.
 */
export const plainNumber = (text: string): string =>
  plainText(text)
    .trim()
    .replace(/^tel:/i, '')
    .replace(/(?<=\d{6})\.0$/, '')
    .replace(/[\p{Ps}\p{Pe}]/gu, ' ')
    .trim()
    .replace(/^(?:0\s*0\s*1\s*1|0\s*0)\s*(?=[1-9])/, '+')

/** Separators that people put between digits, also those of Japanese keyboards. */
const BETWEEN_DIGITS = /[\s\p{Pd}\u2212.\u00b7\u30fb\u30fc~\u301c/]/gu

/** ASCII digits without separators, `+` instead of `00`. Other characters stay and make the number invalid. */
export const foldedNumber = (text: string): string => plainNumber(text).replace(BETWEEN_DIGITS, '')

/** The last line by which browsers fill codes in: WICG, "Origin-bound one-time codes". */
const BOUND_CODE = /^@\S+ #(\d{6})(?: [@%]\S+)?\s*$/m
/** Letters of scripts that put spaces between words; others stand right beside a code. */
const OF_WORD =
  '(?![\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}])\\p{L}'
const SIX_DIGITS = new RegExp(`(?<!\\d|${OF_WORD})\\d{6}(?!\\d|${OF_WORD})`, 'gu')
const SIX_IN_WORD = /(?<!\d)\d{6}(?!\d)/g
/** Groups of three, with no other group beside them, as a phone number has. */
const GROUPED = /(?<!\d[\s\p{Pd}.]?)\d{3}[\s\p{Pd}.]\d{3}(?![\s\p{Pd}.]?\d)/gu

/** The code of six digits in an entered text: alone, in groups, or in a whole message. Undefined where there is no single one. */
export function readCode(text: string): string | undefined {
  const plain = plainText(text)
  const compact = plain.replace(/[^\p{L}\p{N}]/gu, '')
  // Some keyboards put a code in twice.
  const [, alone] = /^(\d{6})\1?$/.exec(compact) ?? []
  const bound = alone ?? BOUND_CODE.exec(plain)?.[1]
  return bound ?? [SIX_DIGITS, GROUPED, SIX_IN_WORD].map((form) => onlyOne(plain.match(form))).find(Boolean)
}

const onlyOne = (found: string[] | null) => {
  const [code, ...others] = new Set(found?.map((each) => each.replace(/\D/g, '')))
  return others.length === 0 ? code : undefined
}
