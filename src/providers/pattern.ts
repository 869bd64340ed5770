/**
 * Patterns of descriptions. Operators write them and carriers write the texts, up to 64 KB, and matching runs on the shared event
 * loop. So a pattern is matched in linear time (RE2), and one match takes some ten milliseconds at most.
 */
import { RE2JS } from 're2js'

interface PatternHit {
  readonly 1?: string | undefined
  readonly groups?: Readonly<Record<string, string>> | undefined
}

export interface Pattern {
  test(text: string): boolean
  exec(text: string): PatternHit | null
}

/** `s`: a dot stands for the end of a line, too. */
type Flags = '' | 's'

const MAX_SIZE = 300
/** Steps for one text. A longer text does not match. */
const MAX_STEPS = 250_000

/** As many as descriptions have. */
const patterns = new Map<string, Pattern>()

/** Throws where it cannot be matched in linear time, or is too large. */
export function patternOf(source: string, flags: Flags = ''): Pattern {
  const key = `${flags}/${source}`
  const pattern = patterns.get(key) ?? compiled(source, flags)
  patterns.set(key, pattern)
  return pattern
}

export function isLinear(source: string): boolean {
  try {
    return Boolean(patternOf(source))
  } catch {
    return false
  }
}

const ATOM = String.raw`[^|()\\]|\\.|\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)`
const LOOKS_AHEAD = new RegExp(String.raw`^\^\(\?!((?:${ATOM}|\|)*)\)((?:${ATOM})*)$`, 's')

/** `^(?!…)` is matched apart: it tells codes that may quote a phone number. */
function compiled(source: string, flags: Flags): Pattern {
  const [, unwanted, wantedThen] = LOOKS_AHEAD.exec(source) ?? []
  if (unwanted === undefined) return isQuick(source) ? new RegExp(source, flags) : linear(source, flags)
  const [isUnwanted, wanted] = [linear(`^(?:${unwanted})`, flags), linear(`^${wantedThen}`, flags)]
  return {
    test: (text) => !isUnwanted.test(text) && wanted.test(text),
    exec: (text) => (isUnwanted.test(text) ? null : wanted.exec(text)),
  }
}

/** Escaped characters and character classes. */
const LITERALS = /\\[^1-9k]|\[(?:\\.|[^\]\\])*\]/gsu
/** One repeated character behind the beginning, or one choice: RegExp takes linear time for these, and far less than RE2. */
const QUICK =
  /^(?:\^[^\\|()*+?{]*(?:[*+?]|\{\d+(?:,\d*)?\})?[^\\|()*+?{]*|[^\\()*+?{]*(?:\([^\\()*+?{]*\))?[^\\()*+?{]*)$/
const MAX_QUICK_CHARACTERS = 100

const isQuick = (source: string) =>
  source.length <= MAX_QUICK_CHARACTERS && QUICK.test(source.replaceAll(LITERALS, 'x'))

function linear(source: string, flags: Flags): Pattern {
  // RE2 takes some patterns that JavaScript refuses or understands differently.
  if (!new RegExp(source, flags) || source.replaceAll(LITERALS, '').includes('\\')) throw new RangeError('not linear')
  const re2 = RE2JS.compile(RE2JS.translateRegExp(source), flags === 's' ? RE2JS.DOTALL : 0)
  const size = re2.programSize()
  if (size > MAX_SIZE) throw new RangeError('the pattern repeats too much')
  const isShort = (text: string) => text.length * size <= MAX_STEPS
  return {
    test: (text) => isShort(text) && re2.test(text),
    exec(text) {
      const matcher = isShort(text) ? re2.matcher(text) : undefined
      if (!matcher?.find()) return null
      const first = matcher.groupCount() > 0 ? matcher.group(1) : undefined
      return { 1: first ?? undefined, groups: matcher.getNamedGroups() as PatternHit['groups'] }
    },
  }
}
