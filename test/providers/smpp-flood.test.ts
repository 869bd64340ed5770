/** A carrier's side of an SMPP session that lies: what it can make this side keep is bounded, and then the link is dropped. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import type { ReportedMessage } from '../../src/ports/carrier'
import type { Connection, Dial } from '../../src/ports/network'
import { smpp } from '../../src/providers/smpp'
import { COMMAND, encodePdu, NOTHING, PduReader, responseTo } from '../../src/providers/smpp-pdu'
import { systemDial } from '../../src/system/dial'
import { HTTP_ONLY } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { seededRandom } from '../support/random'
import { until } from '../support/until'

const MB = 1024 * 1024
const NEVER = new Promise<never>(() => {})

type Heard = Parameters<Dial>[1]

/** One link as the carrier has it. It reads its bind, and after that only while `reads` is true. */
class Link implements Connection {
  isDestroyed = false
  written = 0
  reads = true
  unwritten = 0
  readonly heard: number[] = []

  constructor(readonly on: Heard) {}

  unwrittenBytes(): number {
    return this.unwritten
  }

  write(bytes: Uint8Array): void {
    this.written += bytes.length
    if (!this.reads) this.unwritten += bytes.length
    for (const { command, sequence } of new PduReader().read(bytes)) {
      this.heard.push(command)
      if (command === COMMAND.bindTransceiver) this.#answerLater(command, sequence, Buffer.from('smsc\0'))
    }
  }

  #answerLater(command: number, sequence: number, body: Buffer): void {
    queueMicrotask(() => this.on.received(encodePdu({ command: responseTo(command), status: 0, sequence, body })))
  }

  destroy(): void {
    this.isDestroyed = true
  }

  /** Sends the same again and again in chunks as a socket brings them, until the link is dropped or so much was sent. */
  flood(pdu: Buffer, bytes: number): void {
    const chunk = Buffer.concat(Array.from({ length: Math.ceil((64 * 1024) / pdu.length) }, () => pdu))
    for (let sent = 0; sent < bytes && !this.isDestroyed; sent += chunk.length) this.on.received(chunk)
  }
}

let clock: VirtualClock
let links: Link[]
let reports: ReportedMessage[]
let logged: string[]
let report: () => Promise<boolean>

beforeEach(async () => {
  clock = new VirtualClock(1_800_000_000_000)
  ;[links, reports, logged] = [[], [], []]
  report = () => NEVER
  const log = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`)
  const config = { host: 'smsc.test', port: 2775, systemId: 'watchword', password: 'secret' }
  smpp.create(
    { name: 'carrier', type: 'smpp', channels: ['sms'], config, createdAt: 0 },
    {
      ...{
        clock,
        random: seededRandom(1),
        timeoutMs: 10 ** 9,
        reportUrl: undefined,
        isOurs: () => true,
        dropped() {},
        vault: HTTP_ONLY.vault,
      },
      dial: (_, on) => {
        const link = new Link(on)
        links.push(link)
        queueMicrotask(() => on.opened())
        return link
      },
      log: { debug: log, info: log, warn: log, error: log },
      transport: { request: () => Promise.reject(new Error('no HTTP here')) },
      report: async (reported) => {
        reports.push(reported)
        return report()
      },
    },
  )
  await until(() => logged.some((line) => line.startsWith('smpp session bound')), 'the session to be bound')
})
afterEach(() => {
  expect(logged.filter((line) => line.includes('secret'))).toEqual([])
})

/** Lets time pass, and what becomes due in it happen. */
function pass(ms: number): void {
  for (let left = ms; left > 0; ) left -= clock.fireNext(left).passedMs
}

const current = (): Link => links.at(-1) as Link
const pduOf = (command: number, body: Buffer = NOTHING) => encodePdu({ command, status: 0, sequence: 7, body })

/** A receipt in a deliver_sm, its text in `message_payload`. */
function receipt(id: string, more = ''): Buffer {
  const payload = Buffer.from(`id:${id} stat:DELIVRD err:000${more}`)
  const tlv = Buffer.alloc(4)
  tlv.writeUInt16BE(0x0424, 0)
  tlv.writeUInt16BE(payload.length, 2)
  const head = Buffer.from([0, 1, 1, 0, 1, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  return pduOf(COMMAND.deliver, Buffer.concat([head, tlv, payload]))
}

describe('a peer that reads no answers', () => {
  test.each([
    ['asks whether this side is there', pduOf(COMMAND.enquireLink)],
    ['sends unknown commands', pduOf(0x0bad)],
    ['sends what cannot be read', pduOf(COMMAND.deliver, Buffer.from([0]))],
  ])('and %s is dropped before 2 MB wait for it', (_, pdu) => {
    const link = current()
    link.reads = false
    link.flood(pdu, 16 * MB)
    expect([link.isDestroyed, link.written < 2 * MB]).toEqual([true, true])
    expect(logged.at(-1)).toContain('smpp session lost')
    // What is left of the chunk is about a link that is no more.
    expect(links).toHaveLength(1)
  })

  test('and sends receipts is dropped as well', async () => {
    report = async () => true
    const link = current()
    link.reads = false
    const chunk = Buffer.concat(Array.from({ length: 1_000 }, () => receipt('r')))
    for (let sent = 1_000; sent <= 200_000 && !link.isDestroyed; sent += 1_000) {
      link.on.received(chunk)
      await until(() => link.isDestroyed || link.heard.length > sent, 'the answers')
    }
    expect(link.isDestroyed).toBe(true)
    expect(link.written).toBeLessThan(2 * MB)
  })
})

describe('a peer that sends more receipts than can be recorded', () => {
  test.each([
    ['many', receipt('r'), 2_000],
    ['long', receipt('r', ` ${'x'.repeat(60_000)}`), 200],
  ])('%s, is dropped while they are recorded', (_, pdu, most) => {
    const link = current()
    link.flood(pdu, 64 * MB)
    expect([link.isDestroyed, reports.length > 100, reports.length <= most]).toEqual([true, true, true])
    expect(logged.at(-1)).toContain('smpp session lost')
  })

  test('comes back after a while, and what it sends is recorded again', async () => {
    const released = Promise.withResolvers<boolean>()
    report = () => released.promise
    current().flood(receipt('r'), 64 * MB)
    const recorded = reports.length
    released.resolve(true)
    await Promise.resolve()
    // A peer that floods has no new link within half a minute.
    pass(29_999)
    expect(links).toHaveLength(1)
    pass(31_000)
    await until(() => links.length === 2 && current().heard.includes(COMMAND.bindTransceiver), 'a new link')
    current().on.received(receipt('r'))
    await until(() => current().heard.includes(responseTo(COMMAND.deliver)), 'the acknowledgement')
    expect(reports).toHaveLength(recorded + 1)
  })

  test('that are fewer, all of them at once, keeps its link', async () => {
    report = async () => true
    current().on.received(Buffer.concat(Array.from({ length: 1_900 }, () => receipt('r'))))
    await until(() => reports.length === 1_900, 'all to be recorded')
    expect(current().isDestroyed).toBe(false)
  })
})

describe('a peer that reads, and sends what nobody asked for,', () => {
  const junk = encodePdu({ command: responseTo(COMMAND.submit), status: 0, sequence: 999, body: NOTHING })
  test.each([
    ['questions', pduOf(COMMAND.enquireLink)],
    ['unknown commands', pduOf(0x0bad)],
    ['answers to no question', junk],
  ])('is dropped after 10,000 %s in a second', (_, pdu) => {
    const link = current()
    const chunk = Buffer.concat(Array.from({ length: 1_000 }, () => pdu))
    for (let second = 0; second < 3; second++) {
      for (let n = 0; n < 5; n++) link.on.received(chunk)
      expect(link.isDestroyed).toBe(false)
      pass(1_000)
    }
    link.flood(pdu, 16 * MB)
    expect([link.isDestroyed, link.heard.length < 30_000]).toEqual([true, true])
  })
})

test('an id longer than any carrier gives is looked up nowhere', async () => {
  report = async () => true
  for (const id of ['9'.repeat(257), 'f'.repeat(60_000)]) current().on.received(receipt(id))
  await until(
    () => current().heard.filter((command) => command === responseTo(COMMAND.deliver)).length === 2,
    'answers',
  )
  expect(reports).toEqual([])
  current().on.received(receipt('9'.repeat(256)))
  await until(() => reports.length === 1, 'the longest id')
})

test('a socket says how much the other side has not taken', async () => {
  const peer = createServer((socket) => void socket.pause().on('error', () => {}))
  await new Promise<void>((listening) => peer.listen(0, '127.0.0.1', listening))
  const { port } = peer.address() as { port: number }
  const opened = Promise.withResolvers<void>()
  const connection = systemDial(
    { host: '127.0.0.1', port, tls: undefined },
    { opened: opened.resolve, received() {}, closed() {} },
  )
  await opened.promise
  expect(connection.unwrittenBytes()).toBe(0)
  // More than any kernel takes for both sides.
  const bytes = new Uint8Array(MB)
  for (let n = 0; n < 64; n++) connection.write(bytes)
  expect(connection.unwrittenBytes()).toBeGreaterThan(8 * MB)
  connection.destroy()
  peer.close()
})
