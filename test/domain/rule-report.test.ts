import { describe, expect, test } from 'bun:test'
import { MOST_LISTED, placeIn, RuleReport, type RuleReportRow } from '../../src/abuse/rules/rule-report'

const found = (changes: Partial<RuleReportRow> = {}): RuleReportRow => ({
  ...{ rule: 'country_unverified', country: 'GB', prefix: 'aa', network: '01' },
  ...{ refused: 1, refusedCredits: 3, watched: 0, watchedCredits: 0 },
  ...changes,
})
const WATCHED = { refused: 0, refusedCredits: 0, watched: 1, watchedCredits: 3 }

describe('what rules were against', () => {
  test('is added up in all, and by rule, country, prefix and network; the most first', () => {
    const decided = new RuleReport()
    decided.add(found())
    decided.add(found({ rule: 'cap', network: '02', ...WATCHED }))
    decided.add(found({ country: 'VN', refused: 5, refusedCredits: 15 }))
    expect(decided.total).toEqual({ refused: 6, refusedCredits: 18, watched: 1, watchedCredits: 3 })
    const counts = (subject: keyof typeof MOST_LISTED) =>
      decided.most(subject).map(([name, { refused, watched }]) => [name, refused, watched])
    expect(counts('rule')).toEqual([
      ['country_unverified', 6, 0],
      ['cap', 0, 1],
    ])
    expect(counts('country')).toEqual([
      ['VN', 5, 0],
      ['GB', 1, 1],
    ])
    // The same digits are of one country; a keyed hash does not say so.
    expect(decided.most('prefix').map(([name]) => placeIn(name))).toEqual([
      { country: 'VN', prefix: 'aa' },
      { country: 'GB', prefix: 'aa' },
    ])
    expect(counts('network')).toEqual([
      ['01', 6, 0],
      ['02', 0, 1],
    ])
  })

  test('of several prefixes or networks at once is under none of them; a number of no country is', () => {
    const decided = new RuleReport()
    decided.add(found({ country: '', prefix: '', network: '' }))
    expect([decided.most('prefix'), decided.most('network')]).toEqual([[], []])
    expect(decided.most('country').map(([name]) => name)).toEqual([''])
  })

  test('of several times is added up', () => {
    const [one, other] = [new RuleReport(), new RuleReport()]
    one.add(found())
    other.add(found({ refused: 2, refusedCredits: 6 }))
    other.add(found({ country: 'VN', ...WATCHED }))
    one.include(other)
    expect(one.total).toEqual({ refused: 3, refusedCredits: 9, watched: 1, watchedCredits: 3 })
    expect(one.most('country').map(([name, { refused }]) => [name, refused])).toEqual([
      ['GB', 3],
      ['VN', 0],
    ])
    // What was added up before is as it was.
    expect(other.total.refused).toBe(2)
  })

  test('is kept of so many networks only, whoever chooses them; all of it counts', () => {
    const decided = new RuleReport()
    const many = 10 * MOST_LISTED.network
    for (let n = 0; n < many; n++) decided.add(found({ network: String(n), refused: 1 + n }))
    decided.trim()
    const other = new RuleReport()
    other.include(decided)
    expect(other.most('network')).toHaveLength(MOST_LISTED.network)
    expect(other.most('network')[0]?.[0]).toBe(String(many - 1))
    expect(other.total.refused).toBe((many * (many + 1)) / 2)
  })
})
