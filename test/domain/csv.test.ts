/** Tables that spreadsheets open: RFC 4180, and OWASP on CSV injection. */
import { expect, test } from 'bun:test'
import { csv } from '../../src/domain/shared/csv'

test.each([
  ['=SUM(A1)', `"'=SUM(A1)"`],
  ['  +1', `"'  +1"`],
  ['-1', `"'-1"`],
  ['@x', `"'@x"`],
  ['＝SUM(A1)', `"'＝SUM(A1)"`],
  ['＋1', `"'＋1"`],
  ['－1', `"'－1"`],
  ['＠x', `"'＠x"`],
  [';=1', `"';=1"`],
  ['\t=1', `"'\t=1"`],
  ['a;=1', '"a;=1"'],
  ['a\t=1', '"a\t=1"'],
  ['say "x", then', '"say ""x"", then"'],
  ['two\r\nlines', '"two\r\nlines"'],
  [-1.5, '-1.5'],
  [undefined, ''],
])('%j is written as %s', (cell, written) => {
  expect(csv([[cell]])).toBe(`${written}\r\n`)
})
