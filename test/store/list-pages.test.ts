import { expect, test } from 'bun:test'
import { type IssuePages, readIssues } from '../../src/store/list-pages'
import { anIssue } from '../domain/sample'

const OWNER = { appId: 'app_one', mode: 'live' } as const
const all = Array.from({ length: 40 }, (_, n) =>
  anIssue({
    issueId: `019ca91c-4e00-7000-8000-0000000001${String(n).padStart(2, '0')}`,
    country: n === 9 ? 'GB' : 'KR',
  }),
)

/** Ten rows to a step, whatever is asked for. */
function pagesOf(isOldestFirst: boolean, looked: string[] = []): IssuePages {
  const inRange = ({ from, below }: { from: string; below: string }) => {
    const rows = all.filter(({ issueId }) => issueId >= from && issueId < below)
    return isOldestFirst ? rows : rows.toReversed()
  }
  return {
    rowsPerStep: 10,
    setBackMs: () => 0,
    further: async (range) => inRange(range)[10]?.issueId,
    async read({ limit, ...range }) {
      looked.push(...inRange(range).map(({ issueId }) => issueId))
      return inRange(range)
        .filter(({ country }) => country === 'GB')
        .slice(0, limit)
    },
  }
}

test.each([false, true])(
  'a bounded search for what is rare misses no row and looks at none twice (oldest first: %p)',
  async (isOldestFirst) => {
    const looked: string[] = []
    const found: string[] = []
    let cursor: string | undefined
    let searches = 0
    do {
      const filter = {
        limit: 5,

        isOldestFirst,
        ...(isOldestFirst ? { from: cursor } : { before: cursor }),
      }
      const { issues, next } = await readIssues(OWNER, filter, pagesOf(isOldestFirst, looked), 1)
      found.push(...issues.map(({ issueId }) => issueId))
      cursor = next
      searches++
    } while (cursor !== undefined)
    expect(searches).toBe(4)
    expect(looked.toSorted()).toEqual(all.map(({ issueId }) => issueId))
    expect(found).toEqual([all[9]?.issueId ?? ''])
  },
)
