/** Tests that `ci` plays where what they look at has changed. They ask git, which the fast tests do not. */
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isPlayed, OVER_POSTGRES_WHERE_CHANGED, testFiles, WHERE_CHANGED } from '../runner/files'

const ROOT = join(import.meta.dir, '../..')

describe('a test that ci plays where what it looks at has changed', () => {
  test('is one that nightly plays', () => {
    const { overPostgres, ...others } = testFiles(true)
    const byNight = Object.values(others).flat()
    for (const path of Object.keys(WHERE_CHANGED)) expect(byNight).toContain(`test/${path}`)
    for (const path of Object.keys(OVER_POSTGRES_WHERE_CHANGED)) expect(overPostgres).toContain(`test/${path}`)
  })

  test.each([
    ['on SQLite', WHERE_CHANGED],
    ['over PostgreSQL', OVER_POSTGRES_WHERE_CHANGED],
  ])('looks at what is there, and is played when that has changed, or when nobody knows: %s', (_, where) => {
    for (const [path, lookedAt] of Object.entries(where)) {
      for (const start of lookedAt) {
        expect(existsSync(join(ROOT, start))).toBe(true)
        expect(isPlayed(path, ['LICENSE', start], where)).toBe(true)
      }
      expect(isPlayed(path, ['package.json'], where)).toBe(true)
      expect(isPlayed(path, ['LICENSE'], where)).toBe(false)
      expect(isPlayed(path, undefined, where)).toBe(true)
    }
    expect(isPlayed('contract/issue.test.ts', [], where)).toBe(true)
  })
})
