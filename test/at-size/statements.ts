/** Every statement that a store has, also those that a test does not run. To be imported before the store is. */
import { mock } from 'bun:test'
import * as ofSQLite from '../../src/store/sqlite/connection/statement'

const { statement, plain } = ofSQLite
const texts: Array<() => string> = []

mock.module('../../src/store/sqlite/connection/statement', () => ({
  ...ofSQLite,
  statement: (build: () => never) => {
    texts.push(() => (build() as { getQuery(): { sql: string } }).getQuery().sql)
    return statement(build)
  },
  plain: (text: string) => {
    texts.push(() => text)
    return plain(text)
  },
}))

export const statementsOfSQLite = (): string[] => [...new Set(texts.map((text) => text()))]
