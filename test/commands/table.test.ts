import { expect, test } from 'bun:test'
import { table } from '../../src/cli/output'

test('a list has headers, and its columns begin below each other, Korean names too', () => {
  const lines = table(
    ['APP', 'NAME', 'BALANCE'],
    [
      ['app_1', '한국 상점', 5],
      ['app_two', 'shop', undefined],
    ],
    'nothing',
  )
  expect(lines).toEqual(['APP      NAME       BALANCE', 'app_1    한국 상점  5', 'app_two  shop       –'])
  const columnOf = (line: string | undefined, what: string) => Bun.stringWidth(line?.slice(0, line.indexOf(what)) ?? '')
  expect(columnOf(lines[1], '5')).toBe(columnOf(lines[0], 'BALANCE'))
})

test('an empty list says what is missing, and has no headers', () => {
  expect(table(['APP'], [], 'No apps yet.')).toEqual(['No apps yet.'])
})

test('a text of several lines stays in its row', () => {
  expect(table(['TEXT'], [['one\ntwo']], '')).toEqual(['TEXT', 'one ⏎ two'])
})
