/** Tests that `ci` plays where what they look at has changed. They ask git, which the fast tests do not. */
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isPlayed, testFiles, WHERE_CHANGED } from '../runner/files'

const ROOT = join(import.meta.dir, '../..')

describe('a test that ci plays where what it looks at has changed', () => {
  test('is one that nightly plays', () => {
    const byNight = Object.values(testFiles(true)).flat()
    for (const path of Object.keys(WHERE_CHANGED)) expect(byNight).toContain(`test/${path}`)
  })

  test('looks at what is there, and is played when that has changed, or when nobody knows', () => {
    for (const [path, lookedAt] of Object.entries(WHERE_CHANGED)) {
      for (const start of lookedAt) {
        expect(existsSync(join(ROOT, start))).toBe(true)
        expect(isPlayed(path, ['LICENSE', start])).toBe(true)
      }
      expect(isPlayed(path, ['package.json'])).toBe(true)
      expect(isPlayed(path, ['LICENSE'])).toBe(false)
      expect(isPlayed(path, undefined)).toBe(true)
    }
    expect(isPlayed('contract/issue.test.ts', [])).toBe(true)
  })
})
