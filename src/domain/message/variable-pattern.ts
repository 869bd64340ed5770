/**
 * What the value of a template variable must look like. Patterns come from operators and values from callers, and both
 * are looked at on the loop that every login shares: patterns are matched in linear time (RE2), and all looks for one
 * message together take a few milliseconds at most. Decisions: "Templates".
 */
import { RE2JS } from 're2js'
import { invalid } from '../shared/error'

interface Matcher {
  fits(value: string): boolean
  /** Steps that one more character may cost; memory grows with it, too. */
  size: number
}

const PARAM = 'variables'
const MAX_PATTERN_CHARACTERS = 200
/** Of all patterns of a template: what is read each time it is previewed, and may be matched. */
const MAX_CHARACTERS = 1_000
const MAX_SIZE = 2_000
/** For one message: some two milliseconds. */
const MAX_STEPS = 100_000

/** Throws `invalid` for what is no regular expression, or one that may take for ever, and for too much of them. */
export function assertPatterns(variables: Readonly<Record<string, { pattern?: string }>>): void {
  let size = 0
  let characters = 0
  for (const [name, { pattern }] of Object.entries(variables)) {
    if (pattern === undefined) continue
    if (pattern.length > MAX_PATTERN_CHARACTERS)
      throw invalid(
        PARAM,
        'pattern_too_large',
        `the pattern of "${name}" has more than ${MAX_PATTERN_CHARACTERS} characters`,
        { name },
      )
    characters += pattern.length
    if (characters > MAX_CHARACTERS)
      throw invalid(
        PARAM,
        'pattern_too_large',
        `the patterns up to that of "${name}" have more than ${MAX_CHARACTERS} characters`,
        { name },
      )
    const matcher = isPlain(pattern) ? matcherOf(pattern) : undefined
    if (!matcher)
      throw invalid(
        PARAM,
        'invalid_pattern',
        `the pattern of "${name}" is not a regular expression, or has lookaround, backreferences or flags, which may take for ever`,
        { name },
      )
    size += matcher.size
    if (size > MAX_SIZE)
      throw invalid(PARAM, 'pattern_too_large', `the pattern of "${name}" repeats too much`, { name })
  }
}

export type PatternVerdict = 'fits' | 'differs' | 'too long'
export type PatternMatch = (pattern: string, value: string) => PatternVerdict

/** Looks for one message: whether the whole value fits, or is too long to be looked at beside the values before it. */
export function patternMatcher(): PatternMatch {
  let stepsLeft = MAX_STEPS
  return (pattern, value) => {
    const matcher = matcherOf(pattern)
    if (!matcher) return 'differs'
    stepsLeft -= matcher.size * value.length
    if (stepsLeft < 0) return 'too long'
    return matcher.fits(value) ? 'fits' : 'differs'
  }
}

/** Characters that are meant as they are: escaped ones, and those of a class. */
const LITERALS = /\\.|\[(?:\\.|[^\]\\])*\]/gsu
const FLAGS = /\(\?[a-z-]+[:)]/

/** Whether JavaScript reads it too, as who is shown it will, and without flags: to ignore case RE2 looks at every letter. */
function isPlain(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
  } catch {
    return false
  }
  return !FLAGS.test(pattern.replaceAll(LITERALS, ''))
}

/** Of a pattern as JavaScript writes them; undefined where it is none, or cannot be matched in linear time. */
function linear(pattern: string): Matcher | undefined {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    return { fits: (value) => compiled.matches(value), size: compiled.programSize() }
  } catch {
    return undefined
  }
}

const matchers = new Map<string, Matcher | undefined>()
/** Of all that are kept: some tens of megabytes. */
const MAX_KEPT_SIZE = 15_000
let keptSize = 0

function matcherOf(pattern: string): Matcher | undefined {
  if (matchers.has(pattern)) return matchers.get(pattern)
  const made = linear(pattern)
  const size = (made?.size ?? 0) + pattern.length
  keptSize += size
  if (keptSize > MAX_KEPT_SIZE) {
    matchers.clear()
    keptSize = size
  }
  matchers.set(pattern, made)
  return made
}
