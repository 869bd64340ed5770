/** Requests time out by the clock of the machine where no other is given. */
import { afterEach, expect, test } from 'bun:test'
import { createHookTransport } from '../../src/system/hook-transport'
import { listen } from '../../src/system/listen'
import { createTransport } from '../../src/system/transport'
import { Receiver } from './receiver'

const SHORT_MS = 50
const LONG_MS = 200
/** Timers count whole milliseconds, and begin at one. */
const ROUNDING_MS = 2

afterEach(() => Receiver.stopAll())

test.each([
  ['carrier', createTransport()],
  [
    'receiver of webhooks',
    {
      request: createHookTransport().post,
    },
  ],
])('the one with less time ends first, and none too early: a %s that is silent', async (_whom, { request }) => {
  const silent = await Receiver.start(() => {})
  const url = `http://127.0.0.1:${silent.port}/`
  const ended: number[] = []
  const begun = performance.now()
  const end = async (timeoutMs: number) => {
    expect(
      await request({ method: 'POST', url, headers: {}, body: '{}', timeoutMs, allowedCidrs: ['127.0.0.1/32'] }),
    ).not.toMatchObject({
      kind: 'answered',
    })
    expect(performance.now() - begun).toBeGreaterThanOrEqual(timeoutMs - ROUNDING_MS)
    ended.push(timeoutMs)
  }
  await Promise.all([end(LONG_MS), end(SHORT_MS)])
  expect(ended).toEqual([SHORT_MS, LONG_MS])
})

test('a server that stops leaves as much time as it was told', async () => {
  const descriptors = { areShort: () => false, remaining: () => 1, onShortage() {} }
  const listener = listen({
    host: '127.0.0.1',
    port: 0,
    routePatterns: [],
    descriptors,
    fetch: async () => new Response(''),
  })
  const begun = performance.now()
  await listener.stop(LONG_MS)
  expect(performance.now() - begun).toBeGreaterThanOrEqual(LONG_MS - ROUNDING_MS)
})
