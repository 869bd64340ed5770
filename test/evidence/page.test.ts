import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Evidence } from '../support/evidence'
import figures from './figures.json'
import { type Figures, newest, tableOf, withTable } from './page'

const PAGE = readFileSync(join(import.meta.dir, '../../docs/evidence.md'), 'utf8')
const AT = Date.UTC(2026, 10, 27)
const seen = (what: Evidence['what'], count: number, commit = 'abc'): Evidence => ({ what, count, commit, at: AT })

test('the page shows the figures that are kept', () => {
  expect(withTable(PAGE, tableOf(figures as unknown as Figures))).toBe(PAGE)
})

test('parts of a run add up, and take the place of an older figure', () => {
  const known = { kills: { count: 7, commit: 'old', at: 1 }, requests: { count: 9, commit: 'old', at: 1 } }
  expect(newest(known, [seen('kills', 300), seen('kills', 20)], 'abc')).toEqual({
    kills: { count: 320, commit: 'abc', at: AT },
    requests: { count: 9, commit: 'old', at: 1 },
  })
})

test('what was seen on another tree is refused', () => {
  expect(() => newest({}, [seen('kills', 300, 'other')], 'abc')).toThrow('other')
})

test('what was not played says so, as does an audit that the registry did not answer', () => {
  const table = tableOf({ seen: {}, audit: { at: AT, found: undefined }, licenses: { at: AT, count: { MIT: 3 } } })
  expect(table).toContain('keep every promise | not played yet | | |')
  expect(table).toContain('not asked: the registry did not answer | 2026-11-27 |')
  expect(table).toContain('MIT 3')
  const played = tableOf({
    seen: { requests: { count: 12_345, commit: 'f'.repeat(40), at: AT } },
    audit: { at: AT, found: 0 },
    licenses: { at: AT, count: {} },
  })
  expect(played).toContain('| 12,345 | 2026-11-27 | `ffffffffffff` |')
})
