/** Planted bugs. Each must be found by the simulation, or the simulation proves nothing. */
import type { Store, Tx } from '../../src/ports'
import type { Sabotage } from './simulate'

/** Every transaction of the store, with some of its words twisted. */
const twisted = (twist: (tx: Tx) => Partial<Tx>): Sabotage => ({
  store: (store: Store): Store => ({
    ...store,
    transaction: (unit) =>
      store.transaction((tx) => {
        const changes = twist(tx)
        return unit(
          new Proxy(tx, {
            get: (target, name, receiver) =>
              name in changes ? changes[name as keyof Tx] : Reflect.get(target, name, receiver),
          }),
        )
      }),
  }),
})

export const SABOTAGES: Record<string, Sabotage> = {
  'the previous code is not replaced': twisted(() => ({ lockLiveIssue: async () => undefined })),
  'a send without an answer is sent again': {
    transport: (transport) => ({
      async request(request) {
        const result = await transport.request(request)
        return result.kind === 'unknown' ? { kind: 'not_sent', reason: 'assumed' } : result
      },
    }),
  },
  'an outcome is recorded without its fence': twisted((tx) => ({
    holdsJob: async () => true,
    finishJob: async (job) => {
      await tx.finishJob(job)
      return true
    },
    answerAttempt: async (attempt) => {
      await tx.answerAttempt(attempt)
      return true
    },
  })),
  'a settlement is forgotten, and made again': twisted((tx) => ({
    finishJob: (job) => tx.holdsJob(job),
    saveIssue: (issue) =>
      tx.saveIssue(
        issue.billingStatus === 'debited' ? { ...issue, billingStatus: 'debit_pending', debitedAmount: 0 } : issue,
      ),
  })),
  'a wrong code is not counted': twisted((tx) => ({
    saveIssue: async (issue) => {
      if (issue.verificationStatus !== 'issued' || issue.attemptsUsed === 0) await tx.saveIssue(issue)
    },
  })),
  'number and text are not erased': twisted(() => ({ eraseOutbox: async () => {} })),
  'an idempotency key is not remembered': twisted(() => ({ addClaim: async () => {} })),
  'a debit leaves no entry': twisted(() => ({ addLedgerEntry: async () => {} })),
  'a replaced code is not marked': twisted((tx) => ({
    saveIssue: (issue) =>
      tx.saveIssue(issue.verificationStatus === 'replaced' ? { ...issue, verificationStatus: 'expired' } : issue),
  })),
  'a message that waits for room at its carrier is forgotten': twisted((tx) => ({
    rescheduleJob: async (job, runAt, queue) => {
      await (queue ? tx.finishJob(job) : tx.rescheduleJob(job, runAt))
    },
  })),
  'an event is stored, and nobody is told': twisted((tx) => ({
    addJob: async (job) => {
      if (job.kind !== 'webhook') await tx.addJob(job)
    },
  })),
  'an event is told that did not happen': twisted((tx) => ({
    saveIssue: async (issue) => {
      if (issue.verificationStatus !== 'expired') await tx.saveIssue(issue)
    },
  })),
  'what is signed is not what is sent': {
    hooks: (hooks) => ({ post: (request) => hooks.post({ ...request, body: `${request.body} ` }) }),
  },
  'an interrupted send is forgotten': twisted((tx) => ({
    attempts: async (owner, issueId) =>
      (await tx.attempts(owner, issueId)).filter(({ outcome }) => outcome !== undefined),
    addAttempt: async (attempt) => {
      const number = (await tx.attempts(attempt, attempt.issueId)).length + 1
      await tx.addAttempt({ ...attempt, number })
    },
  })),
}
