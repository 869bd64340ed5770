/** Texts and JSON values that programs stumble over. */
import type { SeededRandom } from '../support/random'

/** Marks that stand over one letter, in an order that normalizing has to change: quadratic work where it is not bounded. */
const MARKS = '\u0315\u0300'

/** Of so many bytes or a few less; a body has at most 64 KiB. */
export const LONG = 60_000

export const LONG_TEXTS: Record<string, string> = {
  'one letter': 'a'.repeat(LONG),
  digits: '9'.repeat(LONG),
  spaces: ' '.repeat(LONG),
  'spaces around': `x${' '.repeat(LONG)}x`,
  'combining marks': `a${MARKS.repeat(LONG / 4)}`,
  'letters that normalizing makes eighteen of': '\ufdfa'.repeat(LONG / 3),
  'dots and letters': 'a.'.repeat(LONG / 2),
  'an address without its end': `${'a'.repeat(LONG / 2)}@${'a.'.repeat(LONG / 4)}`,
  colons: ':'.repeat(LONG),
  'digits and dots': '1.'.repeat(LONG / 2),
  placeholders: '#{'.repeat(LONG / 2),
  braces: '{{'.repeat(LONG / 2),
  emoji: '👩‍👩‍👧‍👦'.repeat(LONG / 25),
}

export const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\r\nX-Injected: 1',
  '\u202e\u2066',
  '\ufeff',
  '\ud800',
  '퟿￿',
  "' OR 1=1 --",
  '%',
  '_%_',
  '"; DROP TABLE issues; --',
  '../../etc/passwd',
  '#{7*7}{{7*7}}<%= 7*7 %>',
  '<script>alert(1)</script>',
  '=cmd()',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'NaN',
  'Infinity',
  '-0',
  '1e999',
  '0x10',
  '１２３４５６',
  '٣٤٥',
  '2026-02-30T25:61:61Z',
  '+275760-09-13T00:00:00.001Z',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77',
  '010-0000-0000',
  '+1 415 555 0100',
]

const NUMBERS = [0, -0, -1, 0.5, 1e21, -1e308, 1e308, 2 ** 31, 2 ** 53, 2 ** 53 + 2, 8_640_000_000_000_000]

export const text = (random: SeededRandom): string =>
  random.chance(0.1) ? random.pick(Object.values(LONG_TEXTS)) : random.pick(TEXTS)

/** Any JSON value, not much deeper than `depth`. */
export function json(random: SeededRandom, depth = 3): unknown {
  const leaves = [() => null, () => random.chance(0.5), () => random.pick(NUMBERS), () => text(random)]
  const branches = [
    () => Array.from({ length: random.below(4) }, () => json(random, depth - 1)),
    () =>
      Object.fromEntries(Array.from({ length: random.below(4) }, () => [random.pick(TEXTS), json(random, depth - 1)])),
  ]
  return random.pick(depth > 0 ? [...leaves, ...branches] : leaves)()
}

/** One field of an object made something else, or a field added or taken away. */
export function disturbed(random: SeededRandom, object: Record<string, unknown>): Record<string, unknown> {
  const name = random.pick([...Object.keys(object), random.pick(TEXTS)])
  const { [name]: _, ...others } = object
  return random.chance(0.15) ? others : { ...others, [name]: json(random) }
}

/** Bytes changed, cut out, doubled or put in, a few times. */
export function mangled(random: SeededRandom, bytes: Uint8Array): Uint8Array {
  let result = Buffer.from(bytes)
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(result.length)
    const to = Math.min(result.length, at + random.below(20))
    const [before, middle, after] = [result.subarray(0, at), result.subarray(at, to), result.subarray(to)]
    const made = random.pick([
      random.bytes(middle.length),
      random.bytes(8),
      Buffer.concat([middle, middle]),
      new Uint8Array(),
    ])
    result = Buffer.concat([before, made, after])
    if (result.length === 0) return random.bytes(1)
  }
  return result
}
