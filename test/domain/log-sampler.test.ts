import { expect, test } from 'bun:test'
import { LogSampler } from '../../src/domain/operations/log-sampler'

const NOW = 1_000_000

test('ten lines a minute of each subject are said; the next one says how many were not', () => {
  const logSampler = new LogSampler()
  const said = Array.from({ length: 25 }, () => logSampler.next('main', NOW))
  expect(said.filter((one) => one !== undefined)).toEqual(Array(10).fill({ unsaid: 0 }))
  expect(logSampler.next('other', NOW)).toEqual({ unsaid: 0 })
  expect(logSampler.next('main', NOW + 59_999)).toBeUndefined()
  expect(logSampler.next('main', NOW + 60_000)).toEqual({ unsaid: 16 })
  expect(logSampler.next('main', NOW + 60_001)).toEqual({ unsaid: 0 })
})

test('a clock that is set back silences nothing', () => {
  const logSampler = new LogSampler()
  for (let n = 0; n < 11; n++) logSampler.next('main', NOW)
  expect(logSampler.next('main', NOW - 3_600_000)).toEqual({ unsaid: 1 })
})
