import { expect, test } from 'bun:test'
import { batchedInsert, batchedQuery } from '../../src/store/postgres/batching/batch-sql'
import { parameters, plain, repeated, statement } from '../../src/store/postgres/connection/statement'
import { clockSteps } from '../../src/store/postgres/schema'

const bound = () => []
const read = () => undefined

test('what several ask is one statement, whose rows say whose they are', () => {
  const rendered = plain(
    (place) => `SELECT sealed FROM outbox WHERE issue_id = ${place(1)} AND ${place(2)} > 0`,
    bound,
    read,
    { types: ['uuid', 'bigint'] },
  )
  expect(batchedQuery(rendered, 2)).toBe(
    'SELECT batch.participant, answer.* FROM (VALUES (0,$1::uuid,$2::bigint),(1,$3::uuid,$4::bigint)) AS batch (participant,p1,p2)' +
      ' CROSS JOIN LATERAL (SELECT sealed FROM outbox WHERE issue_id = batch.p1 AND batch.p2 > 0 OFFSET 0) AS answer',
  )
})

test('rows that several add are one statement, with what is to happen to those that are there', () => {
  const job = statement(
    (on, rows) =>
      on
        .insert(clockSteps)
        .values(repeated(rows, () => parameters(clockSteps, ['noticedAt', 'setBackMs'])))
        .onConflictDoNothing()
        .prepare(''),
    { isAddition: true },
  )
  expect(batchedInsert(job, 3)).toBe(
    'insert into "clock_steps" ("noticed_at", "set_back_ms") values ($1, $2), ($3, $4), ($5, $6) on conflict do nothing',
  )
})

test('a text is made once for as many: it is prepared by it', () => {
  const rendered = plain((place) => `SELECT ${place(1)}`, bound, read, { types: ['uuid'] })
  expect(batchedQuery(rendered, 2)).toBe(batchedQuery(rendered, 2))
})

test('what locks, and does not say what, is not for several: one could change what another has read', () => {
  for (const words of ['SELECT 1 FOR UPDATE', 'select 1 for no key update', 'SELECT pg_advisory_xact_lock(1)']) {
    const silent = plain(() => words, bound, read, { types: [] })
    expect(() => batchedQuery(silent, 2)).toThrow('must name its locks')
    const telling = plain(() => words, bound, read, { types: [], holds: () => 'one' })
    expect(batchedQuery(telling, 2)).toContain(words)
  }
})
