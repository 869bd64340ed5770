/**
 * Patterns of template variables. Patterns come from operators and values from callers, and matching runs on the shared
 * event loop. So patterns are matched in linear time (RE2), and all matches of one message take a few milliseconds at
 * most. Decisions: "Templates".
 */
import { RE2JS } from 're2js'
import { invalid } from '../shared/error'

interface Matcher {
  fits(value: string): boolean
  /** Steps per character of a value; memory grows with it, too. */
  size: number
}

const PARAM = 'variables'
const MAX_PATTERN_CHARACTERS = 200
/** Characters of all patterns of a template together. */
const MAX_CHARACTERS = 1_000
const MAX_SIZE = 2_000
/** Steps for one message, some two milliseconds. */
const MAX_STEPS = 100_000

/** Throws `invalid` for a pattern that is no regular expression, cannot be matched in linear time, or is too large. */
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

/** Matches the values of one message. Answers `too long` once they would take too many steps together. */
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

/** Escaped characters and character classes. */
const LITERALS = /\\.|\[(?:\\.|[^\]\\])*\]/gsu
const FLAGS = /\(\?[a-z-]+[:)]/

/** Whether JavaScript accepts the pattern, since clients get it, and it has no flags: ignoring case is slow in RE2. */
function isPlain(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
  } catch {
    return false
  }
  return !FLAGS.test(pattern.replaceAll(LITERALS, ''))
}

/** Compiles a JavaScript pattern; undefined where it is invalid or cannot be matched in linear time. */
function linear(pattern: string): Matcher | undefined {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    return { fits: (value) => compiled.matches(value), size: compiled.programSize() }
  } catch {
    return undefined
  }
}

const matchers = new Map<string, Matcher | undefined>()
/** Total size of cached matchers, some tens of megabytes. */
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
