/** Planted bugs. Each must be found by the simulation, or the simulation proves nothing. */
import type { Store, Tx } from '../../src/ports/store'
import type { Sabotage } from './simulate'

type Twist = { [Door in keyof Tx]?: Partial<Tx[Door]> }

/** Every transaction of the store, with some of its words twisted. */
export const twisted = (twist: (tx: Tx) => Twist): Sabotage => ({
  store: (store: Store): Store => ({
    ...store,
    transaction: (work, options) =>
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
      }, options),
  }),
})

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
          issue.billingStatus === 'debited' ? { ...issue, billingStatus: 'debit_pending', debitedAmount: 0 } : issue,
        ),
    },
  })),
  'a wrong code is not counted': twisted((tx) => ({
    issues: {
      save: async (issue) => {
        if (issue.verificationStatus !== 'issued' || issue.attemptsUsed === 0) await tx.issues.save(issue)
      },
    },
  })),
  'number and text are not erased': twisted(() => ({ outbox: { erase: async () => {} } })),
  'an idempotency key is not remembered': twisted(() => ({ idempotency: { add: async () => {} } })),
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
