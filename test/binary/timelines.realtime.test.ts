/** Test mode by the real clock: what an integrator with a stopwatch sees. Virtual time has every scenario, to the millisecond. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { HANGS_AFTER_MS, until } from '../support/until'
import { newFolder, programIn, runJson, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

/** Two clocks are compared, each of which is cut to whole milliseconds. */
const ROUNDING_MS = 2
/** Of magic number 00, after the issue. */
const TIMELINE = { queued: 0, sent: 1_000, delivered: 2_000 }

interface Change {
  deliveryStatus: keyof typeof TIMELINE
  /** When the first answer came that showed it. */
  seenMs: number
}

const folder = newFolder()
let server: Server
let keys: string[] = []

beforeAll(async () => {
  const program = programIn(folder.path)
  const { appId } = await runJson(program, 'app', 'create', 'shop')
  const newKey = () => runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test')
  // A test key may read 120 times a minute.
  for (let n = 0; n < 2; n++) keys = [...keys, (await newKey()).key]
  server = await Server.start(program)
})
afterAll(async () => {
  await server?.stop()
  folder.remove()
})

test('a code is sent after a second and delivered after two', async () => {
  const { issueId, queuedAt } = (await server.issue(keys[0] ?? '', '010-0000-0000')).body
  const sinceIssued = () => Date.now() - Date.parse(queuedAt)
  const changes: Change[] = []
  let looks = 0
  await until(async () => {
    const { deliveryStatus } = await server.status(keys[looks++ % keys.length] ?? '', issueId)
    if (deliveryStatus !== changes.at(-1)?.deliveryStatus) changes.push({ deliveryStatus, seenMs: sinceIssued() })
    return deliveryStatus === 'delivered'
  }, 'the code to be delivered')
  // One that is over before a machine that pauses has looked is not seen.
  const seen = changes.map(({ deliveryStatus }) => deliveryStatus)
  expect(seen).toEqual((['queued', 'sent', 'delivered'] as const).filter((status) => seen.includes(status)))
  for (const { deliveryStatus, seenMs } of changes)
    expect(seenMs).toBeGreaterThanOrEqual(TIMELINE[deliveryStatus] - ROUNDING_MS)
})
