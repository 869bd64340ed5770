/** Sockets on which something has come that the event loop has not heard of. */
import { afterEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { byPoll, byReading, quietBy } from '../../src/system/socket-poll'
import { until } from '../support/until'
import { inThisTurn, Receiver } from './receiver'

afterEach(() => Receiver.stopAll())

const polling = byPoll() ?? (() => undefined)

/** Both ends of a connection: a descriptor, and who is at the other end. */
async function pair(): Promise<{ fd: number; other: Socket; end: () => void }> {
  const receiver = await Receiver.start(() => {})
  const socket = connect(receiver.port, '127.0.0.1').on('error', () => {})
  await until(() => receiver.open === 1 && !socket.connecting, 'both ends to be open')
  const [other] = receiver.sockets
  const { fd } = (socket as Socket & { _handle: { fd: number } })._handle
  if (!other) throw new Error('nobody came')
  return { fd, other, end: () => socket.destroy() }
}

describe.each([
  ['by poll', polling],
  ['by reading', byReading],
])('%s', (_how, isQuiet) => {
  test('a socket is quiet on which nothing came, however often it is asked', async () => {
    const { fd, end } = await pair()
    for (const _ of [1, 2, 3]) expect(isQuiet(fd)).toBe(true)
    end()
  })

  test.each<[string, (other: Socket) => void]>([
    ['a byte', (other) => other.write('x')],
    ['an end', (other) => other.end()],
    ['a reset', (other) => other.resetAndDestroy()],
  ])('%s that has come is noticed in the same turn', async (_what, happen) => {
    const { fd, other, end } = await pair()
    happen(other)
    await inThisTurn()
    expect(isQuiet(fd)).toBe(false)
    end()
  })

  test.each([-1, 2 ** 20 - 1])('%i, which is no descriptor, is not quiet', (fd) => {
    expect(isQuiet(fd)).toBe(false)
  })
})

test('without the library there is no poll', () => {
  expect(byPoll('libnothing.so.0')).toBeUndefined()
})

/** A poll that is interrupted so often, and then finds nothing. */
function interrupted(times: number): () => number {
  let left = times
  return () => (left-- > 0 ? -1 : 0)
}

test('a signal that ends a look is no sign of anything: it is looked again', () => {
  expect(quietBy(interrupted(2))(0)).toBe(true)
})

test('where no look succeeds, nobody knows: that is not quiet', () => {
  expect(quietBy(interrupted(Number.POSITIVE_INFINITY))(0)).toBe(false)
})
