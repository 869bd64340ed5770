/**
 * A bound SMPP session that is kept up: it dials, binds, asks the peer whether it is there, and begins anew with growing
 * waits when the link is lost. Submissions wait for a link and for room in the window; what was written and not answered
 * is lost, what never was written surely did not leave.
 */
import { SECOND_MS } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Connection, Dial } from '../ports/network'
import type { Random } from '../ports/vault'
import {
  bindBody,
  COMMAND,
  type Delivered,
  encodePdu,
  isResponse,
  messageIdOf,
  NO_MESSAGE_ID,
  NOTHING,
  type Pdu,
  PduReader,
  readDeliver,
  responseTo,
} from './smpp-pdu'
import { statusName } from './smpp-status'

export interface LinkConfig {
  to: Parameters<Dial>[0]
  account: Parameters<typeof bindBody>[0]
  /** How many submissions may be without an answer at a time. */
  window: number
  enquireLinkMs: number
}

export interface LinkDependencies {
  clock: Clock
  random: Random
  dial: Dial
  log: Log
  timeoutMs: number
}

export type Submitted =
  | { kind: 'answered'; status: number; messageId: string | undefined }
  /** Surely not sent. `bindStatus`: the carrier refuses our sessions. */
  | { kind: 'unwritten'; bindStatus: number | undefined; wasBound: boolean }
  | { kind: 'unanswered'; reason: 'timeout' | 'link_lost' }

/** How long a submission may take: aborted when the time is over. */
export interface Patience {
  /** To be written. */
  room: AbortSignal
  /** To be answered. */
  answer: AbortSignal
}

interface WaitingWrite {
  write(): void
  giveUp(): void
}

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 60_000
/** From so many on the wait before the next dial is the longest. */
const MOST_FAILURES = Math.ceil(Math.log2(MAX_WAIT_MS / FIRST_WAIT_MS))
const SEQUENCE_MAX = 0x7fffffff
/** Late answers are still heard; of a carrier that never answers, no more than this is remembered. */
const PENDING_MAX = 10_000
/** A carrier that reads its answers keeps far less waiting, also with a window of a thousand messages. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024
/** Carriers wait for answers to a few receipts before they send more; one that waits for none is let send so many. */
const MAX_RECORDING = 2_000
const MAX_RECORDING_BYTES = 8 * 1024 * 1024
/** More receipts than can be recorded in a second; everything else that a carrier begins is rare. */
const MAX_UNASKED_PER_SEC = 10_000
const STATUS = { ok: 0, unknownCommand: 0x03, temporaryError: 0x64, permanentError: 0x65 }

export class SmppLink {
  #connection: Connection | undefined
  #isBound = false
  #bindStatus: number | undefined
  #failures = 0
  #sequence = 0
  #outstanding = 0
  readonly #queue: WaitingWrite[] = []
  readonly #pending = new Map<number, (answer: Pdu | undefined) => void>()
  readonly #recording = new Set<Promise<void>>()
  /** Bytes of the receipts that are being recorded. */
  #recordingBytes = 0
  /** PDUs that answer nothing, since when they are counted. */
  #unasked = { count: 0, since: 0 }
  #cancelTimer = () => {}
  #closing: Promise<void> | undefined
  #ended = () => {}

  constructor(
    private readonly name: string,
    private readonly config: LinkConfig,
    private readonly deps: LinkDependencies,
    /** Takes what the carrier delivers; it is acknowledged when this resolves, and comes again when it rejects. */
    private readonly onDeliver: (delivered: Delivered) => Promise<void>,
  ) {
    this.#dial()
  }

  /** `accepted` is called at once, before the receipt that may be next on the wire, and also when it is too late. */
  submit(body: Buffer, patience: Patience, accepted: (messageId: string) => void): Promise<Submitted> {
    return new Promise((resolve) => {
      const waiting: WaitingWrite = {
        write: () => {
          patience.room.removeEventListener('abort', waiting.giveUp)
          resolve(this.#write(body, patience.answer, accepted))
        },
        giveUp: () => {
          const at = this.#queue.indexOf(waiting)
          if (at >= 0) this.#queue.splice(at, 1)
          resolve({ kind: 'unwritten', bindStatus: this.#bindStatus, wasBound: this.#isBound })
        },
      }
      patience.room.addEventListener('abort', waiting.giveUp, { once: true })
      this.#queue.push(waiting)
      if (patience.room.aborted || this.#closing || this.#bindStatus !== undefined) waiting.giveUp()
      else this.#writeWaiting()
    })
  }

  /** Ends the session once what is out has been answered, or has run out of time. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      this.#ended = resolve
    })
    for (const { giveUp } of [...this.#queue]) giveUp()
    if (this.#connection) void this.#leaveWhenDone()
    else this.#end()
    return this.#closing
  }

  #end(): void {
    this.#cancelTimer()
    this.#ended()
  }

  #writeWaiting(): void {
    while (this.#isBound && this.#outstanding < this.config.window) {
      const next = this.#queue.shift()
      if (!next) return
      next.write()
    }
  }

  #write(body: Buffer, patience: AbortSignal, accepted: (messageId: string) => void): Promise<Submitted> {
    this.#outstanding++
    return new Promise((resolve) => {
      let isSettled = false
      const settle = (submitted: Submitted) => {
        isSettled = true
        patience.removeEventListener('abort', giveUp)
        this.#outstanding--
        resolve(submitted)
        this.#writeWaiting()
        void this.#leaveWhenDone()
      }
      const giveUp = () => settle({ kind: 'unanswered', reason: 'timeout' })
      patience.addEventListener('abort', giveUp, { once: true })
      this.#ask(COMMAND.submit, body, (answer) => {
        const messageId = answer?.status === STATUS.ok ? messageIdOf(answer) : undefined
        if (messageId !== undefined) accepted(messageId)
        if (!isSettled && answer) settle({ kind: 'answered', status: answer.status, messageId })
        else if (!isSettled) settle({ kind: 'unanswered', reason: 'link_lost' })
      })
    })
  }

  #dial(): void {
    const { clock, dial, timeoutMs } = this.deps
    const reader = new PduReader()
    this.#sequence = 0
    this.#cancelTimer = clock.after(timeoutMs, () => this.#drop('timeout'))
    // An earlier connection may still tell something, which is not about this one.
    const ifCurrent =
      <T extends unknown[]>(act: (...heard: T) => void) =>
      (...heard: T) =>
        connection === this.#connection && act(...heard)
    const connection = dial(this.config.to, {
      opened: ifCurrent(() => this.#bind()),
      received: ifCurrent((bytes: Uint8Array) => this.#received(reader, bytes)),
      closed: ifCurrent((reason: string) => this.#lost(reason)),
    })
    this.#connection = connection
  }

  #bind(): void {
    this.#ask(COMMAND.bindTransceiver, bindBody(this.config.account), (answer) => {
      if (!answer) return
      if (answer.status === STATUS.ok) this.#bound()
      else this.#refused(answer.status)
    })
  }

  #bound(): void {
    this.deps.log.info({ provider: this.name }, 'smpp session bound')
    this.#isBound = true
    this.#bindStatus = undefined
    this.#failures = 0
    this.#enquireLater()
    this.#writeWaiting()
  }

  #refused(status: number): void {
    this.#bindStatus = status
    this.deps.log.warn({ provider: this.name, code: statusName(status) }, 'smpp session refused')
    for (const { giveUp } of [...this.#queue]) giveUp()
    this.#drop('refused')
  }

  #enquireLater(): void {
    const { clock, timeoutMs } = this.deps
    this.#cancelTimer()
    this.#cancelTimer = clock.after(this.config.enquireLinkMs, () => {
      this.#cancelTimer = clock.after(timeoutMs, () => this.#drop('enquire_link unanswered'))
      this.#ask(COMMAND.enquireLink, NOTHING, (answer) => {
        if (answer && this.#isBound) this.#enquireLater()
      })
    })
  }

  /** `answered` is called once: with the response, or with nothing when the link is lost first. */
  #ask(command: number, body: Buffer, answered: (answer: Pdu | undefined) => void): void {
    this.#sequence = this.#sequence < SEQUENCE_MAX ? this.#sequence + 1 : 1
    this.#pending.set(this.#sequence, answered)
    const oldest = this.#pending.size > PENDING_MAX ? this.#pending.keys().next().value : undefined
    if (oldest !== undefined) this.#pending.delete(oldest)
    this.#send({ command, status: STATUS.ok, sequence: this.#sequence, body })
  }

  #send(pdu: Pdu): void {
    const connection = this.#connection
    if (!connection) return
    connection.write(encodePdu(pdu))
    if (connection.unwrittenBytes() > MAX_UNWRITTEN_BYTES) this.#dropFlooding('does not read')
  }

  #respond({ command, sequence }: Pick<Pdu, 'command' | 'sequence'>, status: number, body: Buffer = NOTHING): void {
    this.#send({ command: responseTo(command), status, sequence, body })
  }

  #received(reader: PduReader, bytes: Uint8Array): void {
    const connection = this.#connection
    try {
      for (const pdu of reader.read(bytes)) {
        this.#handle(pdu)
        // The rest belongs to a link that one of them has ended.
        if (connection !== this.#connection) return
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      this.#drop('not SMPP')
    }
  }

  #handle(pdu: Pdu): void {
    if (isResponse(pdu)) {
      const answered = this.#pending.get(pdu.sequence)
      if (answered) {
        this.#pending.delete(pdu.sequence)
        answered(pdu)
        return
      }
    }
    if (this.#isTooMuch()) {
      this.#dropFlooding('sends too much')
      return
    }
    if (isResponse(pdu)) return
    switch (pdu.command) {
      case COMMAND.deliver:
      case COMMAND.data:
        this.#deliver(pdu)
        break
      case COMMAND.enquireLink:
        this.#respond(pdu, STATUS.ok)
        break
      case COMMAND.unbind:
        this.#respond(pdu, STATUS.ok)
        this.#drop('unbound by the carrier')
        break
      default:
        this.#send({ ...pdu, command: COMMAND.genericNack, status: STATUS.unknownCommand, body: NOTHING })
    }
  }

  #isTooMuch(): boolean {
    const now = this.deps.clock.elapsed()
    if (now - this.#unasked.since >= SECOND_MS) this.#unasked = { count: 0, since: now }
    return ++this.#unasked.count > MAX_UNASKED_PER_SEC
  }

  #deliver(pdu: Pdu): void {
    const delivered = readDeliver(pdu)
    // A receipt that cannot be read now cannot be read when it comes again.
    if (!delivered) {
      this.#respond(pdu, STATUS.permanentError, NO_MESSAGE_ID)
      return
    }
    if (this.#recording.size >= MAX_RECORDING || this.#recordingBytes > MAX_RECORDING_BYTES) {
      this.#dropFlooding('too many receipts')
      return
    }
    const connection = this.#connection
    const { command, sequence, body } = pdu
    const bytes = body.length
    this.#recordingBytes += bytes
    const recording = this.onDeliver(delivered).then(
      () => STATUS.ok,
      () => STATUS.temporaryError,
    )
    const answered = recording.then((status) => {
      this.#recording.delete(answered)
      this.#recordingBytes -= bytes
      // A link that came since knows nothing of this PDU.
      if (connection === this.#connection) this.#respond({ command, sequence }, status, NO_MESSAGE_ID)
    })
    this.#recording.add(answered)
  }

  /** The peer would do the same on the next link, so that one comes after the longest wait. */
  #dropFlooding(reason: string): void {
    this.#failures = MOST_FAILURES
    this.#drop(reason)
  }

  #drop(reason: string): void {
    this.#connection?.destroy()
    this.#lost(reason)
  }

  #lost(reason: string): void {
    if (!this.#connection) return
    this.#connection = undefined
    this.#isBound = false
    this.#cancelTimer()
    const unanswered = [...this.#pending.values()]
    this.#pending.clear()
    for (const answered of unanswered) answered(undefined)
    if (this.#closing) {
      this.#end()
      return
    }
    this.deps.log.warn({ provider: this.name, reason }, 'smpp session lost')
    this.#cancelTimer = this.deps.clock.after(this.#nextWaitMs(), () => this.#dial())
  }

  /** Doubles with every failure; a random half of it, so that sessions lost together do not return together. */
  #nextWaitMs(): number {
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** this.#failures, MAX_WAIT_MS)
    this.#failures++
    return waitMs / 2 + this.deps.random.below(waitMs / 2 + 1)
  }

  async #leaveWhenDone(): Promise<void> {
    if (!this.#closing || this.#outstanding > 0) return
    await Promise.all(this.#recording)
    if (!this.#isBound) {
      this.#drop('closed')
      return
    }
    this.#isBound = false
    this.#cancelTimer()
    this.#cancelTimer = this.deps.clock.after(this.deps.timeoutMs, () => this.#drop('closed'))
    this.#ask(COMMAND.unbind, NOTHING, () => this.#drop('closed'))
  }
}
