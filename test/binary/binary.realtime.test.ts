/** How soon a process ends that has nothing to do. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { HANGS_AFTER_MS } from '../support/until'
import { released } from './compiled'
import { newFolder, type Program, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const TIMES = 3
const folder = newFolder()
let program: Program

beforeAll(async () => {
  program = await released(folder.path)
})
afterAll(folder.remove)

async function tookMs<T>(act: () => Promise<T>): Promise<[T, number]> {
  const startedAt = performance.now()
  const answer = await act()
  return [answer, performance.now() - startedAt]
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends an idle server at once: sooner than one starts', async (signal) => {
  const starts: number[] = []
  const ends: number[] = []
  for (let time = 0; time < TIMES; time++) {
    const [server, startMs] = await tookMs(() => Server.start(program))
    expect((await server.call('GET', '/healthz')).status).toBe(200)
    const [exitCode, endMs] = await tookMs(() => server.stop(signal))
    expect(exitCode).toBe(0)
    starts.push(startMs)
    ends.push(endMs)
  }
  // A pause of the machine makes one of them long, and not each.
  expect(Math.min(...ends)).toBeLessThan(Math.max(...starts))
})
