/** What is read as a code where people paste and platforms hand over: `codes.ts`. */
import { expect, test } from 'bun:test'
import { readCode } from '../../client/flow/code'
import { typedCode } from '../../client/screen/fields'
import { codeIn } from '../../src/domain/relays/relay'
import { CODES } from './codes'

const rows = CODES.map((one) => [one.given, one] as const)

test.each(rows)('the field and a relay find the code in %j', (given, { code, relayed }) => {
  expect(readCode(given)).toBe(code)
  if (code !== undefined) expect(typedCode(given, '')).toBe(code)
  expect(codeIn(given)).toBe(relayed ?? code)
})
