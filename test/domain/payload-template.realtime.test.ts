/** Checking a template takes no longer than its length: nobody can make one that keeps the server busy. */
import { expect, test } from 'bun:test'
import { assertHookTemplate } from '../../src/domain/webhooks/payload-template'

const SHORT = 4_000
const TIMES_AS_LONG = 4
/** More than the four times that a linear check takes, less than the sixteen of a quadratic one. */
const AT_MOST = 9
/** The quickest of some is what it takes: the others were held up. */
const TRIES = 15

function quickestMs(template: string): number {
  const tries = Array.from({ length: TRIES }, () => {
    const begunAt = performance.now()
    assertHookTemplate(template)
    return performance.now() - begunAt
  })
  return Math.min(...tries)
}

test.each<[string, (length: number) => string]>([
  ['spaces', (length) => `["{{${' '.repeat(length)}"]`],
  ['braces', (length) => `["${'{'.repeat(length)}"]`],
  ['placeholders without end', (length) => `["${'{{a '.repeat(length / 4)}"]`],
  ['placeholders', (length) => `["${'{{a}}'.repeat(length / 5)}"]`],
])('four times as much takes about four times as long: %s', (_, made) => {
  const [short, long] = [made(SHORT), made(SHORT * TIMES_AS_LONG)]
  // The engine translates what runs often.
  for (const template of [short, long, short, long]) quickestMs(template)
  expect(quickestMs(long)).toBeLessThan(AT_MOST * quickestMs(short))
})
