/**
 * Regular expressions that RE2 refuses (lookaround, backreferences), for templates stored before it was asked. They are
 * matched as JavaScript would, but step by step, and after a few thousand steps not any further.
 */
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'

/** It would have taken more steps than one message may cost. */
export class OutOfSteps extends Error {
  override name = 'OutOfSteps'
}

const MAX_STEPS = 5_000

/** Where the rest of the pattern goes on; answers whether it fits from there. */
type Rest = (at: number) => boolean
type Step = (at: number, rest: Rest) => boolean

/** Says whether a whole value fits, or throws `OutOfSteps`. Throws where `pattern` is no regular expression. */
export function backtracking(pattern: string): (value: string) => boolean {
  const { alternatives } = new RegExpParser().parsePattern(pattern, 0, pattern.length, { unicode: true })
  return (value) => new Matching(value).fits(alternatives)
}

/** One look at one value. */
class Matching {
  readonly #characters: string[]
  readonly #captured = new Map<AST.CapturingGroup, [start: number, end: number]>()
  #steps = 0

  constructor(value: string) {
    this.#characters = [...value]
  }

  fits(alternatives: AST.Alternative[]): boolean {
    return this.#any(alternatives)(0, (at) => at === this.#characters.length)
  }

  #count(steps = 1): void {
    this.#steps += steps
    if (this.#steps > MAX_STEPS) throw new OutOfSteps()
  }

  #any(alternatives: AST.Alternative[]): Step {
    const steps = alternatives.map(({ elements }) => this.#sequence(elements))
    return (at, rest) => steps.some((step) => step(at, rest))
  }

  #sequence(elements: AST.Element[]): Step {
    const steps = elements.map((element) => this.#element(element))
    return steps.reduceRight<Step>(
      (after, step) => (at, rest) => step(at, (next) => after(next, rest)),
      (at, rest) => rest(at),
    )
  }

  #element(element: AST.Element): Step {
    switch (element.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return this.#character(element.raw)
      case 'Group':
        return this.#any(element.alternatives)
      case 'CapturingGroup':
        return this.#capturing(element)
      case 'Quantifier':
        return this.#repeated(element)
      case 'Assertion':
        return this.#assertion(element)
      case 'Backreference':
        return this.#backreference(element)
    }
  }

  /** The engine is asked for one character at a time, which takes no time. */
  #character(raw: string): Step {
    const one = new RegExp(`^(?:${raw})$`, 'u')
    return (at, rest) => {
      this.#count()
      const character = this.#characters[at]
      return character !== undefined && one.test(character) && rest(at + 1)
    }
  }

  #capturing(group: AST.CapturingGroup): Step {
    const inside = this.#any(group.alternatives)
    return (at, rest) => {
      const before = this.#captured.get(group)
      const fits = inside(at, (end) => {
        const outer = this.#captured.get(group)
        this.#captured.set(group, [at, end])
        if (rest(end)) return true
        this.#restore(group, outer)
        return false
      })
      if (!fits) this.#restore(group, before)
      return fits
    }
  }

  #restore(group: AST.CapturingGroup, span: [number, number] | undefined): void {
    if (span) this.#captured.set(group, span)
    else this.#captured.delete(group)
  }

  #repeated({ element, min, max, greedy }: AST.Quantifier): Step {
    const once = this.#afresh(element)
    const from =
      (count: number): Step =>
      (at, rest) => {
        this.#count()
        const more = () =>
          count < max &&
          // What matched nothing would match it for ever.
          once(at, (next) => (next > at || count < min) && from(count + 1)(next, rest))
        if (count < min) return more()
        return greedy ? more() || rest(at) : rest(at) || more()
      }
    return from(0)
  }

  /** Each time round, what the groups inside matched before is forgotten. */
  #afresh(element: AST.Element): Step {
    const step = this.#element(element)
    const groups: AST.CapturingGroup[] = []
    visitRegExpAST(element, { onCapturingGroupEnter: (group) => void groups.push(group) })
    return (at, rest) => {
      const before = groups.map((group) => this.#captured.get(group))
      for (const group of groups) this.#captured.delete(group)
      if (step(at, rest)) return true
      groups.forEach((group, index) => void this.#restore(group, before[index]))
      return false
    }
  }

  #assertion(assertion: AST.Assertion): Step {
    const holds = this.#condition(assertion)
    return (at, rest) => {
      this.#count()
      return holds(at) && rest(at)
    }
  }

  #condition(assertion: AST.Assertion): (at: number) => boolean {
    switch (assertion.kind) {
      case 'start':
        return (at) => at === 0
      case 'end':
        return (at) => at === this.#characters.length
      case 'word':
        return (at) => (isWord(this.#characters[at - 1]) !== isWord(this.#characters[at])) !== assertion.negate
      case 'lookahead': {
        const inside = this.#any(assertion.alternatives)
        return (at) => inside(at, () => true) !== assertion.negate
      }
      case 'lookbehind': {
        const inside = this.#any(assertion.alternatives)
        const endsAt = (end: number) => {
          this.#count(end)
          return Array.from({ length: end + 1 }, (_, back) => end - back).some((start) =>
            inside(start, (at) => at === end),
          )
        }
        return (at) => endsAt(at) !== assertion.negate
      }
    }
  }

  #backreference({ resolved }: AST.Backreference): Step {
    const groups = Array.isArray(resolved) ? resolved : [resolved]
    return (at, rest) => {
      this.#count()
      const span = groups.map((group) => this.#captured.get(group)).find((found) => found !== undefined)
      // A group that took no part matches nothing, anywhere.
      if (!span) return rest(at)
      const text = this.#characters.slice(...span)
      this.#count(text.length)
      return text.every((character, index) => this.#characters[at + index] === character) && rest(at + text.length)
    }
  }
}

const isWord = (character: string | undefined) => character !== undefined && /^\w$/u.test(character)
