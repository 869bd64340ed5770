/**
 * One phone guessed at with both kinds of key, while its owner signs in every day: a month of the product itself, on either
 * store. A year of the rule is in `failure-budget.test.ts`, a year of the product is played by `bun run simulate-abuse --guess`.
 */
import { expect, test } from 'bun:test'
import { guess } from './guessing'

const DAYS = 31

test('a month has fewer than three hundred guesses by both, of a year with fewer than a thousand', async () => {
  const { guesses } = await guess({ days: DAYS })
  expect(guesses).toBeLessThan(300)
  // Otherwise nothing was put to the test.
  expect(guesses).toBeGreaterThan(200)
})

test('whoever knows the rules has no more of a month than sixty by each kind, and its owner signs in with both', async () => {
  const { guesses, signIns } = await guess({ days: DAYS, aMonth: 59 })
  expect(guesses).toBe(2 * 59)
  expect(signIns).toBeGreaterThan(1.5 * DAYS)
})
