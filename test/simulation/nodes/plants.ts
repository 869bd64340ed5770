/** Planted bugs of several servers. Each must be found by the simulation, or the simulation proves nothing. */
import { LEASE_MS } from '../../../src/domain/operations/job'
import type { Transport, TransportResult } from '../../../src/ports/network'
import type { Store } from '../../../src/ports/store'
import { answered } from '../../support/carrier'
import { isQuestion } from '../../support/polled-vendor'
import { twisted } from '../sabotage'
import type { Question } from './engine'

type Words = Omit<Question, 'isOfValues'>

export interface Plant {
  store?: (store: Store) => Store
  transport?: (transport: Transport) => Transport
  /** What a server asks of the database. */
  twist?: (question: Words, server: { now: () => number }) => Words
}

/** Other words for what is asked. */
const reworded = (words: RegExp | string, by: string): Plant => ({
  twist: ({ text, values }) => ({ text: text.replace(words, by), values }),
})

const CLAIM = /^WITH due AS MATERIALIZED/
/** A job that is added as held. */
const HELD = /^insert into "jobs" .* returning "job_id"$/
/** As they follow each other there. */
const JOB_COLUMNS = ['kind', 'app_id', 'mode', 'subject_id', 'run_at']

export const PLANTS: Record<string, Plant> = {
  'what is decided by is read without a lock': reworded(/ for no key update$/, ''),
  'two issue for one phone at a time': reworded(
    'SELECT pg_advisory_xact_lock(hashtextextended($1, 1))',
    'SELECT length($1)',
  ),
  'credit is read, and then written': reworded(
    /SELECT reserve_credit\((\$\d+), (\$\d+), (\$\d+)\)$/,
    `UPDATE wallets SET reserved = (SELECT reserved FROM wallets WHERE app_id = $1) + $2::bigint
       WHERE app_id = $1 AND $3::integer >= 0`,
  ),
  'a lease ends by the clock of whoever looks': {
    twist: ({ text, values }, { now }) => ({ text, values: CLAIM.test(text) ? values.with(3, now()) : values }),
  },
  'rows are stamped by the clock of whoever writes': {
    twist: ({ text, values }, { now }) => ({ text: text.replace(/^SELECT clock_ms\(\),/, `SELECT ${now()},`), values }),
  },
  'the lease of who was killed never ends': reworded('AND run_at <= $4', 'AND run_at <= $4 AND NOT leased'),
  'who stops gives back what others run': reworded(/"jobs"\."leased_by" = (\$\d)/, '$1::text IS NOT NULL'),
  'who has waited to follow the clock follows it, too': reworded(
    /^(SELECT clock_ms\(\), \(SELECT coalesce\(sum\(set_back_ms\), 0\) FROM clock_steps)\)$/,
    '$1 WHERE noticed_at < clock_ms() - 5000)',
  ),
  'a carrier that does not tell what became of a message has lost it': {
    transport: (transport) => ({
      async request(request) {
        const answer = await transport.request(request)
        if (!isQuestion(request)) return answer
        return answer.kind === 'answered' && /4000|3032/.test(answer.body) ? answer : lostAt(request.url)
      },
    }),
  },
  'each connection counts for itself': reworded(
    'count_one($1::text[]',
    'count_one(ARRAY(SELECT pg_backend_pid() || subject FROM unnest($1::text[]) AS subject)',
  ),
  'a message is sent within the transaction that writes it down': sentWithinUnit(),
  'settings are looked at once': {
    store(store) {
      let known: Promise<string> | undefined
      return { ...store, read: { ...store.read, settingsVersion: () => (known ??= store.read.settingsVersion()) } }
    },
  },
  'what was lost with its commit is done again': reworded(
    'outcome_of($1::text::xid8, $2::text::bigint)',
    `'aborted' || left($1::text || $2::text, 0)`,
  ),
  'what was lost with its commit counts as stored': reworded(
    'outcome_of($1::text::xid8, $2::text::bigint)',
    `'committed' || left($1::text || $2::text, 0)`,
  ),
  'who has lost a message charges it, too': settledTwice(),
  'a server counts only codes that it lets in itself': {
    store: (store) => ({
      ...store,
      read: { ...store.read, traffic: { ...store.read.traffic, issues: nobody } },
    }),
  },
  'wrong codes of a phone are counted beside each other': reworded(
    /^(SELECT state FROM failures WHERE .*) FOR UPDATE$/,
    '$1',
  ),
  'who has lost a job records what came of it': twisted((tx) => ({
    jobs: { lock: (job) => tx.jobs.lock(job).then(() => true), finish: (job) => tx.jobs.finish(job).then(() => true) },
    attempts: { answer: (attempt) => tx.attempts.answer(attempt).then(() => true) },
  })),
}

async function* nobody() {}

const lostAt = (url: string) => answered(200, { messageList: [{ messageId: idIn(url), statusCode: '3032' }] })
const idIn = (url: string) => new URL(url).searchParams.get('messageId')

/** Time has to pass, or a server would claim what it works on for ever. */
const SHORT_LEASE_MS = 200

/**
 * Whoever comes too late debits all the same. So that somebody does, leases are over soon, and another server calls what
 * this one still works on interrupted, which the fence makes good.
 */
function settledTwice(): Plant {
  const hasty: Plant = {
    twist({ text, values }) {
      if (CLAIM.test(text)) return { text, values: values[0] === 'deliver' ? values.with(4, SHORT_LEASE_MS) : values }
      if (!HELD.test(text)) return { text, values }
      const leasedUntil = values.indexOf('deliver') + JOB_COLUMNS.indexOf('run_at')
      return { text, values: values.with(leasedUntil, Number(values[leasedUntil]) - LEASE_MS.deliver + SHORT_LEASE_MS) }
    },
  }
  const unfenced = twisted((tx) => ({
    jobs: {
      lock: (job) => tx.jobs.lock(job).then((isHeld) => isHeld || job.kind === 'deliver'),
      async finish(job) {
        const isHeld = await tx.jobs.finish(job)
        const issue = await tx.issues.lock(job, job.subjectId)
        if (isHeld || job.kind !== 'deliver' || issue?.billingStatus !== 'debited') return isHeld
        await tx.wallets.reserve(job.appId, issue.price)
        await tx.wallets.debit(job.appId, issue)
        return isHeld
      },
    },
  }))
  return { ...hasty, ...unfenced }
}

interface Sending {
  carrier: { carrier: { send(message: object): Promise<unknown> } }
  message: { messageId: string }
}

const isSending = (answer: unknown): answer is Sending =>
  typeof answer === 'object' && answer !== null && 'carrier' in answer && 'message' in answer

/** An effect that a transaction has each time it runs. */
function sentWithinUnit(): Plant {
  return {
    store: (store) => ({
      ...store,
      transaction: (work, options) =>
        store.transaction(async (tx) => {
          const answer = await work(tx)
          if (isSending(answer)) await answer.carrier.carrier.send(answer.message)
          return answer
        }, options),
    }),
    transport(transport) {
      // Of one life of a server: whoever is started again has forgotten.
      const answers = new Map<string, TransportResult>()
      return {
        async request(request) {
          const messageId = String(JSON.parse(request.body ?? '{}').messageId)
          const known = answers.get(messageId)
          // What the transaction has heard is what its server goes on with.
          if (known) {
            answers.delete(messageId)
            return known
          }
          const answer = await transport.request(request)
          answers.set(messageId, answer)
          return answer
        },
      }
    },
  }
}
