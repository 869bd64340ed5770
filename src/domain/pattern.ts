/**
 * What the value of a template variable must look like. Patterns come from operators and values from callers, and both
 * are looked at on the loop that every login shares: new patterns are matched in linear time (RE2), and all looks for
 * one message together take a few milliseconds at most. Decisions: "Templates".
 */
import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import { RE2JS } from 're2js'
import { backtracking, OutOfSteps } from './backtrack'
import { invalid } from './error'

interface Matcher {
  fits(value: string): boolean
  /** Steps that one more character may cost; memory grows with it, too. */
  size: number
  isLinear: boolean
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
    if (!matcher?.isLinear)
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

/** False for patterns of templates that were stored before these rules: they go on, within bounds. */
export const isLinear = (pattern: string): boolean => matcherOf(pattern).isLinear

export type Verdict = 'fits' | 'differs' | 'too long'
export type Matching = (pattern: string, value: string) => Verdict

/** Looks for one message: whether the whole value fits, or is too long to be looked at beside the values before it. */
export function matching(): Matching {
  let stepsLeft = MAX_STEPS
  return (pattern, value) => {
    const { fits, size } = matcherOf(pattern)
    stepsLeft -= size * value.length
    if (stepsLeft < 0) return 'too long'
    try {
      return fits(value) ? 'fits' : 'differs'
    } catch (error) {
      if (error instanceof OutOfSteps) return 'too long'
      throw error
    }
  }
}

/** Whether JavaScript reads it too, as who is shown it will, and without flags: to ignore case RE2 looks at every letter. */
function isPlain(pattern: string): boolean {
  let hasFlags = false
  try {
    const read = new RegExpParser().parsePattern(pattern, 0, pattern.length, { unicode: true })
    visitRegExpAST(read, {
      onModifiersEnter() {
        hasFlags = true
      },
    })
  } catch {
    return false
  }
  return !hasFlags
}

/** Of a pattern as JavaScript writes them; undefined where it is none, or cannot be matched in linear time. */
function linear(pattern: string): Matcher | undefined {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    return { fits: (value) => compiled.matches(value), size: compiled.programSize(), isLinear: true }
  } catch {
    return undefined
  }
}

/** One from before patterns were checked is matched step by step; what is no pattern at all fits nothing. */
function bounded(pattern: string): Matcher {
  try {
    return { fits: backtracking(pattern), size: 1, isLinear: false }
  } catch {
    return { fits: () => false, size: 1, isLinear: false }
  }
}

const kept = new Map<string, Matcher>()
/** Of all that are kept: some tens of megabytes. */
const MAX_KEPT_SIZE = 15_000
let keptSize = 0

function matcherOf(pattern: string): Matcher {
  const known = kept.get(pattern)
  if (known) return known
  const made = linear(pattern) ?? bounded(pattern)
  keptSize += made.size + pattern.length
  if (keptSize > MAX_KEPT_SIZE) {
    kept.clear()
    keptSize = made.size + pattern.length
  }
  kept.set(pattern, made)
  return made
}
