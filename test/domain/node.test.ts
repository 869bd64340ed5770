import { describe, expect, test } from 'bun:test'
import { conditionsOf, NODE_GONE_MS, type NodeState } from '../../src/domain/operations/node'
import { DAY_MS, MINUTE_MS } from '../../src/domain/shared/value'
import { NOW } from './sample'

const HOUR_AGO = NOW - 60 * MINUTE_MS

/** A server that started and was last heard of then, Unix milliseconds. */
const server = (name: string, startedAt: number, seenAt = NOW, isLeaving = false): NodeState => ({
  ...{ nodeId: name, name, version: '0.1.0', startedAt, seenAt, isLeaving, lagMs: 0 },
})
const conditions = (...nodes: NodeState[]) =>
  Object.fromEntries(conditionsOf(nodes, NOW).map(({ name, condition }) => [name, condition]))

describe('servers that share a database', () => {
  test('work, leave, or are silent', () => {
    expect(
      conditions(
        server('works', HOUR_AGO),
        server('leaves', HOUR_AGO, NOW, true),
        server('late', HOUR_AGO, NOW - NODE_GONE_MS + 1),
        server('silent', HOUR_AGO, NOW - NODE_GONE_MS),
      ),
    ).toEqual({ works: 'working', leaves: 'leaving', late: 'working', silent: 'silent' })
  })

  test('are silent for five minutes where another one has started since, and then count as replaced', () => {
    const seenAt = NOW - 5 * MINUTE_MS
    const next = server('next', seenAt + 1_000)
    expect(conditions(server('killed', HOUR_AGO, seenAt + 1), next)).toMatchObject({ killed: 'silent' })
    expect(conditions(server('killed', HOUR_AGO, seenAt), next)).toMatchObject({ killed: 'replaced' })
  })

  test('count as replaced at once where one has started since on the same machine', () => {
    const next = server('box:582', NOW - 11_000)
    const [killed, elsewhere] = [server('box:77', HOUR_AGO, NOW - 12_000), server('other:77', HOUR_AGO, NOW - 12_000)]
    expect(conditions(killed, next)).toMatchObject({ 'box:77': 'replaced' })
    expect(conditions(elsewhere, next)).toMatchObject({ 'other:77': 'silent' })
  })

  test('stay silent where none has started since', () => {
    const seenAt = NOW - DAY_MS + 1
    expect(conditions(server('killed', seenAt - 1, seenAt), server('other', seenAt - 1))).toMatchObject({
      killed: 'silent',
    })
  })

  test('are replaced one by one: of two that were killed, one newcomer replaces one', () => {
    const killed = [server('first', HOUR_AGO, NOW - 20 * MINUTE_MS), server('second', HOUR_AGO, NOW - 10 * MINUTE_MS)]
    const early = server('third', NOW - 15 * MINUTE_MS)
    const late = server('fourth', NOW - 9 * MINUTE_MS)
    expect(conditions(...killed, early)).toMatchObject({ first: 'replaced', second: 'silent' })
    expect(conditions(...killed, late)).toMatchObject({ first: 'silent', second: 'replaced' })
    expect(conditions(...killed, early, late)).toMatchObject({ first: 'replaced', second: 'replaced' })
  })

  test('that were killed one after the other in the same place were all replaced but the last', () => {
    const row = [
      server('first', HOUR_AGO, NOW - 40 * MINUTE_MS),
      server('second', NOW - 39 * MINUTE_MS, NOW - 20 * MINUTE_MS),
      server('third', NOW - 19 * MINUTE_MS, NOW - 10 * MINUTE_MS),
    ]
    expect(conditions(...row)).toEqual({ first: 'replaced', second: 'replaced', third: 'silent' })
  })
})
