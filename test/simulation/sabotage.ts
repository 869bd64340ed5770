/** Planted bugs. Each must be found by the simulation, or the simulation proves nothing. */

import type { Message } from '../../src/domain/message/message'
import type { RenderedMessage } from '../../src/domain/message/rendered-message'
import type { JobKind } from '../../src/domain/operations/job'
import { hasCode, hasMessage } from '../../src/domain/verification/verification'
import type { Store, Tx } from '../../src/ports/store'
import type { Sabotage } from './simulate'

type Twist = { [Door in keyof Tx]?: Partial<Tx[Door]> }

/** Every transaction of the store, with some of its words twisted. */
export const twisted = (twist: (tx: Tx) => Twist): Sabotage => ({
  store: (store: Store): Store => ({
    ...store,
    transaction: (work) =>
      store.transaction((tx) => {
        const changes = twist(tx)
        return work(
          new Proxy(tx, {
            get(target, name, receiver) {
              const door = Reflect.get(target, name, receiver)
              return name in changes ? Object.assign({ ...(door as object) }, changes[name as keyof Twist]) : door
            },
          }),
        )
      }),
  }),
})

/** A job is the owner by which its own work locks an issue. */
const isJobOf = (kind: JobKind | undefined, owner: object) => 'kind' in owner && (kind ?? owner.kind) === owner.kind

/** An outbox that still finds what was erased from the database: without it nothing could be sent too late. */
function erasingNothing(): (tx: Tx) => Partial<Tx['outbox']> {
  const messages = new Map<string, RenderedMessage>()
  return (tx) => ({
    add: async (issue, rendered) => {
      messages.set(issue.issueId, rendered)
      await tx.outbox.add(issue, rendered)
    },
    find: async (issueId) => messages.get(issueId),
  })
}

/** Planted in stories with delivery plans. */
export const PLAN_SABOTAGES: Record<string, () => Sabotage> = {
  'the next leg starts before the wait is over': () =>
    twisted((tx) => ({
      jobs: { add: (job) => tx.jobs.add(job.kind === 'next-leg' ? { ...job, runAt: tx.now } : job) },
    })),
  'an ambiguous leg moves on by a timer': () =>
    twisted((tx) => ({
      issues: {
        lockMessage: async (owner, issueId) => {
          const issue = await tx.issues.lockMessage(owner, issueId)
          return issue && { ...issue, providerOutcomeAmbiguous: false }
        },
        save: async (issue, before) => {
          await tx.issues.save(issue, before)
          if (hasMessage(issue) && issue.providerOutcomeAmbiguous && issue.legs)
            await tx.jobs.add({ kind: 'next-leg', owner: issue, subjectId: issue.issueId, runAt: tx.now + 1_000 })
        },
      },
    })),
  'the timer does not see what a report has changed': () => {
    const asStarted = new Map<string, Message>()
    return twisted((tx) => ({
      issues: {
        lockMessage: async (owner, issueId) => {
          const issue = await tx.issues.lockMessage(owner, issueId)
          if (!issue?.legs) return issue
          const first = asStarted.get(issueId) ?? issue
          asStarted.set(issueId, first)
          const { leg, legs, messageId } = first
          const stale = { leg, legs, messageId, sendPending: false, deliveryStatus: 'sent' } as const
          return isJobOf('next-leg', owner) ? { ...issue, ...stale } : issue
        },
      },
    }))
  },
  'a leg starts after the code was used': () => {
    const outbox = erasingNothing()
    return twisted((tx) => ({
      issues: {
        lockMessage: async (owner, issueId) => {
          const issue = await tx.issues.lockMessage(owner, issueId)
          return issue && isJobOf(undefined, owner) ? { ...issue, verificationStatus: 'issued' } : issue
        },
        save: async (issue, before) => {
          if (issue.verificationStatus !== 'issued' || before?.verificationStatus !== 'verified')
            await tx.issues.save(issue, before)
        },
      },
      outbox: outbox(tx),
    }))
  },
}

export const SABOTAGES: Record<string, Sabotage> = {
  'the previous code is not replaced': twisted(() => ({
    issues: { lockPhone: async () => ({ live: undefined, failures: undefined }) },
  })),
  'a send without an answer is sent again': {
    transport: (transport) => ({
      async request(request) {
        const result = await transport.request(request)
        return result.kind === 'unknown' ? { kind: 'not_sent', reason: 'assumed' } : result
      },
    }),
  },
  'an outcome is recorded without its fence': twisted((tx) => ({
    jobs: {
      lock: async () => true,
      finish: async (job) => {
        await tx.jobs.finish(job)
        return true
      },
    },
    attempts: {
      answer: async (attempt) => {
        await tx.attempts.answer(attempt)
        return true
      },
    },
  })),
  'a settlement is forgotten, and made again': twisted((tx) => ({
    jobs: { finish: (job) => tx.jobs.lock(job) },
    issues: {
      save: (issue) =>
        tx.issues.save(
          hasMessage(issue) && issue.billingStatus === 'debited'
            ? { ...issue, billingStatus: 'debit_pending', debitedAmount: 0 }
            : issue,
        ),
    },
  })),
  'a wrong code is not counted': twisted((tx) => ({
    issues: {
      save: async (issue) => {
        if (!hasCode(issue) || issue.verificationStatus !== 'issued' || issue.attemptsUsed === 0)
          await tx.issues.save(issue)
      },
    },
  })),
  'number and text are not erased': twisted(() => ({ outbox: { erase: async () => {} } })),
  'an idempotency key is not remembered': twisted((tx) => ({ issues: { add: (issue) => tx.issues.add(issue) } })),
  'a debit leaves no entry': twisted(() => ({ wallets: { addEntry: async () => {} } })),
  'a replaced code is not marked': twisted((tx) => ({
    issues: {
      save: (issue) =>
        tx.issues.save(issue.verificationStatus === 'replaced' ? { ...issue, verificationStatus: 'expired' } : issue),
    },
  })),
  'a message that waits for room at its carrier is forgotten': twisted((tx) => ({
    jobs: {
      reschedule: (job, runAt, queue) => (queue ? tx.jobs.finish(job) : tx.jobs.reschedule(job, runAt)),
    },
  })),
  'an event is stored, and nobody is told': twisted((tx) => ({
    jobs: {
      add: async (job) => {
        if (job.kind !== 'webhook') await tx.jobs.add(job)
      },
    },
  })),
  'an event is told that did not happen': twisted((tx) => ({
    issues: {
      save: async (issue) => {
        if (issue.verificationStatus !== 'expired') await tx.issues.save(issue)
      },
    },
  })),
  'what is signed is not what is sent': {
    hooks: (hooks) => ({ post: (request) => hooks.post({ ...request, body: `${request.body} ` }) }),
  },
  'an interrupted send is forgotten': twisted((tx) => ({
    attempts: {
      ofIssue: async (owner, issueId) =>
        (await tx.attempts.ofIssue(owner, issueId)).filter(({ outcome }) => outcome !== undefined),
      add: async (attempt) => {
        const number = (await tx.attempts.ofIssue(attempt, attempt.issueId)).length + 1
        await tx.attempts.add({ ...attempt, number })
      },
    },
  })),
}
