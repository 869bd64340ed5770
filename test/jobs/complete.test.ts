/** Only who still holds a job records what came of it; what the answer says besides is stored all the same. */
import { expect, test } from 'bun:test'
import type { Job } from '../../src/domain/operations/job'
import { complete } from '../../src/jobs/runner'
import { openAt, Scratch } from '../store/open'
import { furnish, issueNumber, NOW, OWNER, StillClock } from '../store/sample'
import { VirtualClock } from '../support/clock'

const { issueId: subjectId } = issueNumber(1)

/** What is written where a job's work is recorded, its holder having lost it meanwhile or not, and whether the job is still there. */
async function recorded({ endsJob, isLost }: { endsJob: boolean; isLost: boolean }) {
  using scratch = new Scratch()
  const store = openAt(scratch.file, { clock: new StillClock() })
  await furnish(store)
  await store.transaction((tx) => tx.jobs.add({ kind: 'deliver', owner: OWNER, subjectId, runAt: NOW }))
  const [held] = await store.transaction((tx) => tx.jobs.claim('deliver', '', 1))
  // It is moved: whoever ran it has lost it.
  if (isLost) await store.transaction((tx) => tx.jobs.add({ kind: 'deliver', owner: OWNER, subjectId, runAt: NOW }))
  const written: string[] = []
  const work = {
    endsJob,
    lock: async () => 'subject',
    prepare: async () => undefined,
    act: async () => 'answer',
    recordAlways: async () => void written.push('recordAlways'),
    record: async () => void written.push('record'),
  }
  await complete({ store, clock: new VirtualClock(NOW) }, work, held as Job, 'call')
  const { waiting = 0 } = (await store.read.jobs.queues(NOW))[0] ?? {}
  await store.close()
  return { written, jobs: waiting }
}

test('who holds a job that ends in any case records, and it has ended', async () => {
  expect(await recorded({ endsJob: true, isLost: false })).toEqual({ written: ['recordAlways', 'record'], jobs: 0 })
})

test('a job that its record ends or moves is left to that', async () => {
  expect(await recorded({ endsJob: false, isLost: false })).toEqual({ written: ['recordAlways', 'record'], jobs: 1 })
})

test.each([true, false])(
  'who has lost a job records nothing, and leaves it to whom it is (it ends: %p)',
  async (endsJob) => {
    expect(await recorded({ endsJob, isLost: true })).toEqual({ written: ['recordAlways'], jobs: 1 })
  },
)
