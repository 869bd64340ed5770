/** Planted bugs of several servers. Each must be found by the simulation, or the simulation proves nothing. */
import { debit, reserve } from '../../../src/domain/wallet/wallet'
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

/** Which jobs are due: of a kind and queue, until when, and how many. */
const DUE = /^select "job_id", .* from "jobs" .* skip locked$/
const LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))'

export const PLANTS: Record<string, Plant> = {
  'what is decided by is read without a lock': reworded(/ for no key update$/, ''),
  'two issue for one phone at a time': {
    twist: ({ text, values }) => ({
      text: text === LOCK && String(values[0]).startsWith('phone ') ? 'SELECT length($1)' : text,
      values,
    }),
  },
  'credit is read, and then written': reworded(/( from "wallets" where .*) for no key update$/, '$1'),
  'a lease ends by the clock of whoever looks': {
    twist: ({ text, values }, { now }) => ({ text, values: DUE.test(text) ? values.with(2, now()) : values }),
  },
  'rows are stamped by the clock of whoever writes': {
    twist: ({ text, values }, { now }) => ({ text: text.replace(/^SELECT clock_ms\(\),/, `SELECT ${now()},`), values }),
  },
  'the lease of who was killed never ends': reworded(
    '"jobs"."run_at" <= $3) order by',
    '"jobs"."run_at" <= $3 and not "jobs"."leased") order by',
  ),
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
    /(INTO counted \(subject, times, ends_at\) VALUES \(|counted WHERE subject = |\s+WHERE subject = )(\$\d::text)/,
    '$1pg_backend_pid() || $2',
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
    /^(select "state" from "failures" where .*) for no key update$/,
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

const ADOPTED_AFTER_MS = 200

/**
 * Whoever comes too late debits all the same. So that somebody does, other servers soon call what this one still works on
 * interrupted, and its report has it charged before its answer comes.
 */
function settledTwice(): Plant {
  return twisted((tx) => ({
    issues: { lockBegun: (agedMs, limit) => tx.issues.lockBegun(agedMs && ADOPTED_AFTER_MS, limit) },
    attempts: {
      async answer(attempt) {
        const isFirst = await tx.attempts.answer(attempt)
        const issue = isFirst ? undefined : await tx.issues.lockMessage(attempt, attempt.issueId)
        if (issue?.billingStatus !== 'debited') return isFirst
        const charged = debit(reserve(await tx.wallets.lock(attempt.appId), issue.price), issue, tx.now)
        await tx.wallets.save(charged.wallet)
        await tx.wallets.addEntry(charged.entry)
        return isFirst
      },
    },
  }))
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
      transaction: (work) =>
        store.transaction(async (tx) => {
          const answer = await work(tx)
          if (isSending(answer)) await answer.carrier.carrier.send(answer.message)
          return answer
        }),
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
