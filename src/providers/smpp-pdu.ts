/**
 * The part of SMPP 3.4 that a sender of messages speaks, as bytes. Our own, because the npm client reads receipts
 * through the GSM alphabet (`_` in an id arrives as `§`), throws in the compiled binary and trusts every certificate.
 */

export const COMMAND = {
  genericNack: 0x80000000,
  submit: 0x04,
  deliver: 0x05,
  data: 0x103,
  unbind: 0x06,
  bindTransceiver: 0x09,
  enquireLink: 0x15,
} as const

const RESPONSE = 0x80000000
export const responseTo = (command: number): number => (command | RESPONSE) >>> 0
export const isResponse = ({ command }: Pdu): boolean => command >= RESPONSE

export interface Pdu {
  command: number
  status: number
  sequence: number
  body: Buffer
}

const HEADER_BYTES = 16
const PDU_MAX_BYTES = 64 * 1024

export function encodePdu({ command, status, sequence, body }: Pdu): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(HEADER_BYTES + body.length, 0)
  header.writeUInt32BE(command, 4)
  header.writeUInt32BE(status, 8)
  header.writeUInt32BE(sequence, 12)
  return Buffer.concat([header, body])
}

/** Cuts a byte stream into PDUs. */
export class PduReader {
  #rest: Buffer = Buffer.alloc(0)

  /** Throws when the stream cannot be SMPP; nothing after that can be understood. */
  read(bytes: Uint8Array): Pdu[] {
    this.#rest = Buffer.concat([this.#rest, bytes])
    const pdus: Pdu[] = []
    while (this.#rest.length >= HEADER_BYTES) {
      const length = this.#rest.readUInt32BE(0)
      if (length < HEADER_BYTES || length > PDU_MAX_BYTES) throw new RangeError('not an SMPP length')
      if (this.#rest.length < length) break
      pdus.push({
        command: this.#rest.readUInt32BE(4),
        status: this.#rest.readUInt32BE(8),
        sequence: this.#rest.readUInt32BE(12),
        body: this.#rest.subarray(HEADER_BYTES, length),
      })
      this.#rest = this.#rest.subarray(length)
    }
    return pdus
  }
}

const cString = (text: string): Buffer => Buffer.from(`${text}\0`, 'latin1')

export const NOTHING: Buffer = Buffer.alloc(0)
/** The empty message id every deliver_sm_resp carries. */
export const NO_MESSAGE_ID: Buffer = cString('')

const INTERFACE_VERSION = 0x34

export const bindBody = (account: { systemId: string; password: string; systemType: string }): Buffer =>
  Buffer.concat([
    cString(account.systemId),
    cString(account.password),
    cString(account.systemType),
    // Address ton, npi and range: whatever the account is set up for.
    Buffer.from([INTERFACE_VERSION, 0, 0, 0]),
  ])

export interface SmppAddress {
  ton: number
  npi: number
  address: string
}

export interface Submission {
  serviceType: string
  source: SmppAddress
  destination: SmppAddress
  /** `YYMMDDhhmmsstnnp`, or empty for the carrier's default. */
  validityPeriod: string
  dataCoding: number
  hasHeader: boolean
  message: Buffer
  parameters: readonly OptionalParameter[]
}

/** A TLV. */
export interface OptionalParameter {
  tag: number
  value: Buffer
}

const HAS_USER_DATA_HEADER = 0x40
const RECEIPT_WANTED = 1

const addressBytes = ({ ton, npi, address }: SmppAddress) => Buffer.concat([Buffer.from([ton, npi]), cString(address)])

export const submitBody = (submission: Submission): Buffer =>
  Buffer.concat([
    cString(submission.serviceType),
    addressBytes(submission.source),
    addressBytes(submission.destination),
    // Protocol id and priority stay at their defaults; deliver at once.
    Buffer.from([submission.hasHeader ? HAS_USER_DATA_HEADER : 0, 0, 0]),
    cString(''),
    cString(submission.validityPeriod),
    Buffer.from([RECEIPT_WANTED, 0, submission.dataCoding, 0, submission.message.length]),
    submission.message,
    ...submission.parameters.map(parameterBytes),
  ])

function parameterBytes({ tag, value }: OptionalParameter): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(tag, 0)
  head.writeUInt16BE(value.length, 2)
  return Buffer.concat([head, value])
}

/** The message id of a submit_sm_resp. Undefined where the carrier gave none. */
export const messageIdOf = ({ body }: Pdu): string | undefined => new Cursor(body).cString() || undefined

export interface Delivered {
  esmClass: number
  /** The text as bytes, one character each: receipts are ASCII, whatever they say. */
  text: string
  receiptedMessageId: string | undefined
  messageState: number | undefined
}

const TLV = { messagePayload: 0x0424, receiptedMessageId: 0x001e, messageState: 0x0427 } as const

/** A deliver_sm or data_sm; undefined where it ends too early. */
export function readDeliver({ command, body }: Pdu): Delivered | undefined {
  try {
    return deliveredIn(body, command === COMMAND.data)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** SMPP 3.4, 4.6.1 and 4.7.1: the text of a data_sm is an optional parameter. */
function deliveredIn(body: Buffer, isData: boolean): Delivered {
  const cursor = new Cursor(body)
  cursor.cString()
  for (const _address of ['source', 'destination']) {
    cursor.skip(2)
    cursor.cString()
  }
  const esmClass = cursor.byte()
  cursor.skip(2)
  if (!isData) {
    cursor.cString()
    cursor.cString()
    cursor.skip(4)
  }
  const shortMessage = isData ? NOTHING : cursor.bytes(cursor.byte())
  const parameters = cursor.parameters()
  return {
    esmClass,
    text: (shortMessage.length > 0 ? shortMessage : (parameters.get(TLV.messagePayload) ?? NOTHING)).toString('latin1'),
    receiptedMessageId: parameters.get(TLV.receiptedMessageId)?.toString('latin1').replace(/\0.*$/s, '') || undefined,
    messageState: parameters.get(TLV.messageState)?.[0],
  }
}

class Cursor {
  #at = 0

  constructor(private readonly buffer: Buffer) {}

  skip(length: number): void {
    this.bytes(length)
  }

  byte(): number {
    return this.bytes(1).readUInt8()
  }

  bytes(length: number): Buffer {
    if (this.#at + length > this.buffer.length) throw new RangeError('PDU ends too early')
    this.#at += length
    return this.buffer.subarray(this.#at - length, this.#at)
  }

  /** To the next NUL; to the end where there is none. */
  cString(): string {
    const nul = this.buffer.indexOf(0, this.#at)
    const end = nul < 0 ? this.buffer.length : nul
    const text = this.buffer.toString('latin1', this.#at, end)
    this.#at = Math.min(end + 1, this.buffer.length)
    return text
  }

  /** Optional parameters (TLVs), to the end or to one that is cut off. */
  parameters(): Map<number, Buffer> {
    const parameters = new Map<number, Buffer>()
    while (this.#at + 4 <= this.buffer.length) {
      const head = this.bytes(4)
      const length = head.readUInt16BE(2)
      if (this.#at + length > this.buffer.length) break
      parameters.set(head.readUInt16BE(0), this.bytes(length))
    }
    return parameters
  }
}
