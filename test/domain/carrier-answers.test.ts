import { describe, expect, test } from 'bun:test'
import { type AnswerCount, answerReport } from '../../src/domain/delivery/carrier-answers'
import type { SendOutcome } from '../../src/domain/delivery/delivery'
import { stepsOf } from '../../src/usecases/test-provider'

const counted = (outcome: AnswerCount['outcome'], ms: number, calls: number, code?: string): AnswerCount => ({
  ...{ outcome, ms, calls, code },
})

describe('what a carrier answered', () => {
  test('has sums, the times of half and of 95% of its answers, and the most frequent failures first', () => {
    const counts = [
      counted('accepted', 100, 60),
      counted('accepted', 300, 34),
      counted('refused', 50, 1, 'BUSY'),
      { ...counted('refused', 70, 1, 'BUSY'), said: 'Try again in # minutes' },
      counted('refused', 70, 1, 'BUSY'),
      counted('ambiguous', 900, 5, 'LOST'),
    ]
    expect(answerReport(counts)).toEqual({
      ...{ accepted: 94, refused: 3, ambiguous: 5, p50Ms: 100, p95Ms: 300 },
      failures: [
        { outcome: 'ambiguous', code: 'LOST', calls: 5 },
        { outcome: 'refused', code: 'BUSY', calls: 3, said: 'Try again in # minutes' },
      ],
    })
  })

  test('names at most 20 failures, and has no times without answers', () => {
    const many = Array.from({ length: 30 }, (_, index) => counted('refused', 1, 1, `E${index}`))
    expect(answerReport(many).failures).toHaveLength(20)
    expect(answerReport([])).toEqual({ accepted: 0, refused: 0, ambiguous: 0, failures: [] })
  })
})

test.each<[SendOutcome, string | undefined, string?]>([
  [{ kind: 'accepted' } as SendOutcome, undefined],
  [{ kind: 'refused', retry: 'unreached', code: 'NOT_SENT_ENOTFOUND' }, 'address'],
  [{ kind: 'refused', retry: 'unreached', code: 'NOT_SENT_ECONNREFUSED' }, 'connection'],
  [{ kind: 'refused', retry: 'later', code: 'NOT_SENT_EMFILE' }, 'connection'],
  [{ kind: 'refused', retry: 'unreached', code: 'NOT_SENT_CERT_HAS_EXPIRED' }, 'certificate'],
  [{ kind: 'refused', retry: 'unreached', code: 'NOT_SENT_DEPTH_ZERO_SELF_SIGNED_CERT' }, 'certificate'],
  [{ kind: 'ambiguous', code: 'NO_ANSWER_TimeoutError' }, 'answer', 'unknown'],
  [{ kind: 'refused', retry: 'unfit', code: 'HTTP_401' }, 'account'],
  [{ kind: 'refused', retry: 'never', code: 'BAD_NUMBER' }, 'message'],
  [{ kind: 'ambiguous', code: 'HTTP_500' }, 'message', 'unknown'],
])('a test that ends with %o came as far as its answer says: %s', (outcome, name, state = 'failed') => {
  const steps = stepsOf(outcome)
  expect(steps).toHaveLength(6)
  const stop = steps.findIndex((step) => step.state !== 'done')
  expect(steps[stop]).toEqual(name === undefined ? undefined : ({ name, state } as never))
  if (stop >= 0) expect(new Set(steps.slice(stop + 1).map((step) => step.state)).size).toBeLessThanOrEqual(1)
})
