/** Test mode in real time: what an integrator with a stopwatch sees. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newFolder, programIn, runJson, Server } from './support'

const TOLERANCE_MS = 300
const POLL_MS = 25

interface Moment {
  ms: number
  deliveryStatus: string
}

/** Between the last look that showed the one before, when it was asked for, and the first answer that showed this one. */
interface Change {
  deliveryStatus: string
  afterMs: number
  beforeMs: number
}

interface Scenario {
  name: string
  phoneNumber: string
  input?: object
  /** Every change of the delivery status, in milliseconds after the issue. */
  expected: Moment[]
  isAmbiguous?: boolean
}

const at = (ms: number, deliveryStatus: string): Moment => ({ ms, deliveryStatus })
const start = at(0, 'queued')

const SCENARIOS: Scenario[] = [
  { name: '00', phoneNumber: '010-0000-0000', expected: [start, at(1_000, 'sent'), at(2_000, 'delivered')] },
  { name: '01', phoneNumber: '010-0000-0001', expected: [start, at(1_000, 'sent'), at(3_000, 'failed')] },
  { name: '03', phoneNumber: '010-0000-0003', expected: [start, at(1_000, 'sent')], isAmbiguous: true },
  { name: '10', phoneNumber: '010-0000-0010', expected: [start, at(1_000, 'sent'), at(4_000, 'delivered')] },
  {
    name: '10 without SMS fallback',
    phoneNumber: '010-0000-0010',
    input: { smsFallback: false },
    expected: [start, at(1_000, 'sent'), at(3_000, 'failed')],
  },
]

/** Longer than the longest timeline, so that a change too many is seen. */
const WATCHED_MS = 4_400

const folder = newFolder()
const seen = new Map<string, { changes: Change[]; isAmbiguous: boolean }>()
let server: Server | undefined

/** All at once: what takes longest decides how long it takes. */
beforeAll(async () => {
  const program = programIn(folder.path)
  // A test key may read 120 times a minute, so each scenario is watched with two.
  const newKey = (appId: string) =>
    runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test').then(({ key }) => key as string)
  const keys = await Promise.all(
    SCENARIOS.map(async ({ name }) => {
      const { appId } = await runJson(program, 'app', 'create', name)
      return Promise.all([newKey(appId), newKey(appId)])
    }),
  )
  server = await Server.start(program)
  const running = server
  await Promise.all(
    SCENARIOS.map(async (scenario, index) =>
      seen.set(scenario.name, await watch(running, scenario, keys[index] ?? [])),
    ),
  )
})

afterAll(async () => {
  await server?.stop()
  folder.remove()
})

async function watch(running: Server, { phoneNumber, input }: Scenario, keys: string[]) {
  const issued = await running.issue(keys[0] ?? '', phoneNumber, input)
  const { issueId, queuedAt } = issued.body
  const startedAt = Date.parse(queuedAt)
  const sinceIssued = () => Date.now() - startedAt
  const changes: Change[] = []
  let isAmbiguous = false
  let lookedAtMs = 0
  for (let poll = 0; sinceIssued() < WATCHED_MS; poll++) {
    const afterMs = lookedAtMs
    lookedAtMs = sinceIssued()
    const { deliveryStatus, ...status } = await running.status(keys[poll % keys.length] ?? '', issueId)
    if (deliveryStatus !== changes.at(-1)?.deliveryStatus)
      changes.push({ deliveryStatus, afterMs, beforeMs: sinceIssued() })
    isAmbiguous = status.providerOutcomeAmbiguous === true
    await Bun.sleep(POLL_MS)
  }
  return { changes, isAmbiguous }
}

describe('on the real server', () => {
  test.each(SCENARIOS)('scenario $name keeps its timeline to 300 ms', ({ name, expected, isAmbiguous = false }) => {
    const { changes = [], ...outcome } = seen.get(name) ?? {}
    expect(changes.map(({ deliveryStatus }) => deliveryStatus)).toEqual(
      expected.map(({ deliveryStatus }) => deliveryStatus),
    )
    for (const [index, { ms }] of expected.entries()) {
      expect(changes[index]?.afterMs).toBeLessThanOrEqual(ms + TOLERANCE_MS)
      expect(changes[index]?.beforeMs).toBeGreaterThanOrEqual(ms - TOLERANCE_MS)
    }
    expect(outcome).toEqual({ isAmbiguous })
  })
})
