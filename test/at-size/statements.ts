/** Every statement that a store has, also those that a test does not run. To be imported before the store is. */
import { mock } from 'bun:test'
import * as dialects from '../../src/store/dialect'
import type { Statement } from '../../src/store/statement'

const described: Array<(dialect: dialects.Dialect) => unknown> = []

// Taken before: the module's own name means the mock from then on, which would call itself for ever.
const { inDialect } = dialects

mock.module('../../src/store/dialect', () => ({
  ...dialects,
  inDialect: (describe: (dialect: dialects.Dialect) => unknown) => {
    described.push(describe)
    return inDialect(describe)
  },
}))

const isStatement = (value: object): value is Statement => 'text' in value && 'bind' in value

function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return isStatement(value) ? [value.text] : Object.values(value).flatMap(textsIn)
}

export const statementsIn = (dialect: dialects.Dialect): string[] => [
  ...new Set(described.flatMap((describe) => textsIn(describe(dialect)))),
]
