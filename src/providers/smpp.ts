/**
 * Any carrier that speaks SMPP 3.4. One transceiver session a carrier and server; receipts come over it as deliver_sm.
 *
 * A long message goes out in parts, one after the other. It counts as accepted when every part was, under the id of the
 * last one: carriers report each part, and a phone shows the message when it has them all.
 */
import { z } from 'zod'
import type { CarrierConfig } from '../domain/delivery/carrier'
import type { DeliveryReport, SendOutcome } from '../domain/delivery/delivery'
import type { OutboundMessage } from '../domain/message/rendered-message'
import { DEFAULT_ALPHABETS, encodeText } from '../domain/message/sms-encoding'
import type { Carrier } from '../ports/carrier'
import type { Clock } from '../ports/clock'
import { SENDERS, sendersSetting } from './engine-settings'
import { type LinkConfig, type Patience, SmppLink, type Submitted } from './smpp-link'
import { type Delivered, NOTHING, type OptionalParameter, type SmppAddress, submitBody } from './smpp-pdu'
import { SmppSession } from './smpp-session'
import { explainStatus, outcomeOfStatus } from './smpp-status'
import {
  isMessageName,
  messageScope,
  senderByCountry,
  unknownPlaceholder,
  type ValueScope,
  wholeFrom,
} from './template'
import type { CarrierDependencies, CarrierType } from './type'

const printable = (max: number) =>
  z
    .string()
    .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII')
    .max(max)
const ton = z.int().min(0).max(6)
const npi = z.int().min(0).max(18)

const tlv = z.strictObject({
  tag: z.string().regex(/^0x[0-9a-fA-F]{1,4}$/, 'must be a tag such as 0x1400'),
  /** With the placeholders of messages. A carrier that wants a NUL at the end of a text has it here, too. */
  value: z
    .string()
    .regex(/^[\0\x20-\x7e]{1,255}$/, 'must be ASCII')
    .refine((value) => unknownPlaceholder(value, isMessageName) === undefined, 'has an unknown placeholder'),
  type: z.enum(['text', 'int']).default('text'),
  /** The size of an integer. */
  bytes: z.union([z.literal(1), z.literal(2), z.literal(4)]).default(4),
})

const smppConfig = z.strictObject({
  host: printable(255).min(1),
  port: z.int().min(1).max(65_535).default(2775),
  /** True, or the CA to trust (PEM) where the public ones do not vouch for the carrier. */
  tls: z.union([z.boolean(), z.strictObject({ ca: z.string().min(1) })]).default(false),
  systemId: printable(15).min(1),
  /** SMPP 3.4 allows 8 characters; carriers allow more. */
  password: printable(64),
  systemType: printable(12).default(''),
  serviceType: printable(5).default(''),
  /** `address` where a message names no sender. Type and plan follow from the sender unless they are set. */
  source: z.strictObject({ address: printable(20).optional(), ton: ton.optional(), npi: npi.optional() }).default({}),
  /** `source.address` by country. */
  senders: sendersSetting,
  destination: z.strictObject({ ton: ton.default(1), npi: npi.default(1) }).prefault({}),
  /** Whether the carrier is told for how long the message is of use. */
  validity: z.enum(['relative', 'none']).default('relative'),
  /** Optional parameters of each message that the carrier wants, such as the registered ids of India's DLT. */
  tlvs: z.array(tlv).max(20).default([]),
  /** How many sessions the carrier allows, over all servers that share a database; without it each of them has one. */
  sessions: z.int().min(1).max(100).optional(),
  /** How many messages may be without an answer at a time. */
  window: z.int().min(1).max(1_000).default(10),
  enquireLinkMs: z.int().min(1_000).max(600_000).default(30_000),
  /** Which alphabet data_coding 0 stands for at this carrier. */
  alphabet: z.enum(DEFAULT_ALPHABETS).default('gsm'),
  /** The base in which receipts write the id that the answer gave. Leading zeros and letter case never matter. */
  receiptIds: z.enum(['same', 'hex', 'decimal']).default('same'),
  /** The carrier sends receipts. Without them its acceptance ends the processing. */
  reports: z.boolean().default(true),
  /** Former releases stored one; receipts come over the session. */
  reportSecret: z.string().optional(),
})

type SmppConfig = z.output<typeof smppConfig>

/** Undefined where a value of the message does not fit. A parameter whose placeholder has no value is left out. */
function optionalParametersFrom(tlvs: SmppConfig['tlvs']): (scope: ValueScope) => OptionalParameter[] | undefined {
  const templates = tlvs.map(({ tag, value, type, bytes }) => ({ tag, fill: wholeFrom(value), type, bytes }))
  return (scope) => {
    const parameters: OptionalParameter[] = []
    for (const { tag, fill, type, bytes } of templates) {
      const text = fill(scope)
      if (text === undefined) continue
      const value = type === 'int' ? intBytes(text, bytes) : OCTETS.test(text) ? Buffer.from(text, 'latin1') : undefined
      if (!value) return undefined
      parameters.push({ tag: Number(tag), value })
    }
    return parameters
  }
}

const OCTETS = /^[\0\x20-\x7e]{0,255}$/

function intBytes(text: string, bytes: number): Buffer | undefined {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(number < 2 ** (8 * bytes))) return undefined
  const value = Buffer.alloc(bytes)
  value.writeUIntBE(number, 0, bytes)
  return value
}

function create({ name, config }: CarrierConfig, deps: CarrierDependencies): Carrier {
  const settings = smppConfig.parse(config)
  const receipts = new Receipts(settings.receiptIds, deps)
  const parametersOf = optionalParametersFrom(settings.tlvs)
  const senderOf = senderByCountry(settings.senders)
  const bind = () => new SmppLink(name, linkConfigOf(settings), deps, (delivered) => receipts.record(delivered))
  const session = new SmppSession(bind, deps)

  /** Part after part, as long as they are taken. */
  async function submit(message: OutboundMessage, patience: Patience): Promise<SendOutcome> {
    const source = sourceOf(message.from ?? senderOf(message.to), settings.source)
    if (!source) return { kind: 'refused', retry: 'elsewhere', code: CODE.sender }
    const parameters = parametersOf(messageScope(message, deps.clock.now()))
    if (!parameters) return { kind: 'refused', retry: 'elsewhere', code: CODE.tlv }
    const { dataCoding, hasHeader, parts } = encodeText(message.text, deps.random.below(256), settings.alphabet)
    const bodyOf = (part: Buffer) =>
      submitBody({
        serviceType: settings.serviceType,
        source,
        destination: { ...settings.destination, address: digitsOf(message.to) },
        validityPeriod: validityOf(settings, message.expiresAt - deps.clock.now()),
        dataCoding,
        hasHeader,
        message: part,
        parameters,
      })
    const whole = { messageId: message.messageId, hasFailed: false }
    const submitFrom = async (part: Buffer, rest: readonly Buffer[]): Promise<SendOutcome> => {
      const [next, ...later] = rest
      // A receipt may come before this answer is stored: then our own id tells what it is about.
      const accepted = (id: string) => receipts.expect(id, { whole, isLast: !next })
      const outcome = outcomeOf(await session.submit(bodyOf(part), patience, accepted), receipts)
      if (outcome.kind !== 'accepted' || !next) return outcome
      const outcomeOfRest = await submitFrom(next, later)
      // With a part of it out, the message is neither accepted nor surely not sent.
      return outcomeOfRest.kind === 'refused' ? { kind: 'ambiguous', code: outcomeOfRest.code } : outcomeOfRest
    }
    const [first = NOTHING, ...rest] = parts
    return submitFrom(first, rest)
  }

  return {
    name,
    reports: settings.reports,
    send: (message) => withPatience(deps.clock, deps.timeoutMs, (patience) => submit(message, patience)),
    close: () => session.close(),
  }
}

const linkConfigOf = ({ host, port, tls, systemId, password, systemType, ...rest }: SmppConfig): LinkConfig => ({
  to: { host, port, tls: tls === false ? undefined : { ca: tls === true ? undefined : tls.ca } },
  account: { systemId, password, systemType },
  window: rest.window,
  enquireLinkMs: rest.enquireLinkMs,
})

/** Half of the time to be written, so that what is written has the other half to be answered. */
async function withPatience<T>(clock: Clock, timeoutMs: number, run: (patience: Patience) => Promise<T>): Promise<T> {
  const room = new AbortController()
  const answer = new AbortController()
  const cancelRoom = clock.after(timeoutMs / 2, () => room.abort())
  const cancelAnswer = clock.after(timeoutMs, () => answer.abort())
  try {
    return await run({ room: room.signal, answer: answer.signal })
  } finally {
    cancelRoom()
    cancelAnswer()
  }
}

const CODE = {
  sender: 'SMPP_SENDER_UNFIT',
  tlv: 'SMPP_TLV_UNFIT',
  windowFull: 'SMPP_WINDOW_FULL',
  notConnected: 'SMPP_NOT_CONNECTED',
  noAnswer: 'SMPP_NO_ANSWER',
  linkLost: 'SMPP_LINK_LOST',
  noId: 'SMPP_OK_WITHOUT_ID',
} as const

function outcomeOf(submitted: Submitted, receipts: Receipts): SendOutcome {
  switch (submitted.kind) {
    case 'unwritten':
      return refusedUnwritten(submitted)
    case 'unanswered':
      return { kind: 'ambiguous', code: submitted.reason === 'timeout' ? CODE.noAnswer : CODE.linkLost }
    case 'answered':
      if (submitted.status !== 0) return outcomeOfStatus(submitted.status)
      return submitted.messageId === undefined || submitted.messageId.length > ID_MAX
        ? { kind: 'ambiguous', code: CODE.noId }
        : { kind: 'accepted', carrierMessageId: receipts.idOf(submitted.messageId) }
  }
}

function refusedUnwritten({ bindStatus, wasBound }: Extract<Submitted, { kind: 'unwritten' }>): SendOutcome {
  if (bindStatus === undefined) {
    return wasBound
      ? { kind: 'refused', retry: 'later', code: CODE.windowFull }
      : { kind: 'refused', retry: 'unreached', code: CODE.notConnected }
  }
  const outcome = outcomeOfStatus(bindStatus)
  // Whatever the carrier thinks of our session, it has not seen the message.
  return outcome.kind === 'refused' ? outcome : { kind: 'refused', retry: 'later', code: outcome.code }
}

const digitsOf = (number: string) => number.replace(/\D/g, '')

const ADDRESS_MAX = 20
const UNKNOWN = { ton: 0, npi: 0 }
const ALPHANUMERIC = { ton: 5, npi: 0 }

/** SMPP 3.4, 5.2.5: international, national, or a short code of the network. */
function kindOfNumber(sender: string) {
  const digits = digitsOf(sender)
  if (sender.startsWith('+') || (digits.length > NATIONAL_MAX && !digits.startsWith('0'))) return { ton: 1, npi: 1 }
  return digits.startsWith('0') || digits.length > SHORT_CODE_MAX ? { ton: 2, npi: 1 } : { ton: 3, npi: 0 }
}

const SHORT_CODE_MAX = 6
/** Longer ones without a zero in front begin with a country code. */
const NATIONAL_MAX = 9

/** Undefined where the sender cannot be written as an address. */
function sourceOf(from: string | undefined, config: SmppConfig['source']): SmppAddress | undefined {
  const sender = from ?? config.address ?? ''
  if (!/^[\x20-\x7e]*$/.test(sender) || sender.length > ADDRESS_MAX) return undefined
  const isNumber = /^\+?\d[\d-]*$/.test(sender)
  const kind = sender === '' ? UNKNOWN : isNumber ? kindOfNumber(sender) : ALPHANUMERIC
  return {
    ton: config.ton ?? kind.ton,
    npi: config.npi ?? kind.npi,
    address: isNumber ? digitsOf(sender) : sender,
  }
}

/** `YYMMDDhhmmss000R`, from when the carrier gets it: its clock need not agree with ours. */
function validityOf({ validity }: SmppConfig, lifeMs: number): string {
  if (validity === 'none') return ''
  const seconds = Math.max(1, Math.floor(lifeMs / 1_000))
  const days = Math.floor(seconds / 86_400)
  const units = [days, Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60, seconds % 60]
  return `0000${units.map((unit) => String(unit).padStart(2, '0')).join('')}000R`
}

const EXPECTED_MAX = 10_000
/** SMPP allows 64 characters; carriers give more. */
const ID_MAX = 256
const SECOND_LOOK_MS = 2_000

/** Receipts, and which messages they are about. */
class Receipts {
  /** Lately accepted, by the carrier's id; null where two messages have ids that receipts may not tell apart. */
  readonly #expected = new Map<string, Part | null>()

  constructor(
    private readonly format: SmppConfig['receiptIds'],
    private readonly deps: Pick<CarrierDependencies, 'clock' | 'report' | 'dropped'>,
  ) {}

  /** The id as receipts will have it. */
  idOf(answeredId: string): string {
    return canonical(answeredId, ANSWER_BASE[this.format], RECEIPT_BASE[this.format])
  }

  expect(answeredId: string, part: Part): void {
    if (answeredId.length > ID_MAX) return
    const id = this.idOf(answeredId)
    this.#expected.set(id, this.#expected.has(id) ? null : part)
    const oldest = this.#expected.size > EXPECTED_MAX ? this.#expected.keys().next().value : undefined
    if (oldest !== undefined) this.#expected.delete(oldest)
  }

  /** Resolves when nothing is left to do for it; rejects when it must come again. */
  async record(delivered: Delivered): Promise<void> {
    const receipt = receiptIn(delivered)
    if (!receipt) return isReceipt(delivered) ? this.deps.dropped('unreadable') : undefined
    const { report } = receipt
    if (!report) return
    const ids = this.#idsOf(receipt)
    if (await this.#tell(ids, report)) return
    // It overtook the answer that names its message, which may even be another process's: look once more.
    await new Promise<void>((resolve) => this.deps.clock.after(SECOND_LOOK_MS, resolve))
    // Former releases have stored the id as it was answered.
    if (!(await this.#tell(ids.concat(receipt.ids.filter((id) => !ids.includes(id))), report)))
      this.deps.dropped('unmatched')
  }

  /** False where nobody knows the message yet. */
  async #tell(ids: readonly string[], report: DeliveryReport): Promise<boolean> {
    const known = ids.find((id) => this.#expected.has(id))
    if (known !== undefined) {
      await this.#tellOfPart(this.#expected.get(known), report)
      return true
    }
    for (const messageId of ids) if (await this.deps.report({ ...report, messageId })) return true
    return false
  }

  /** A part that failed fails the whole, and the last one delivers it: others may still be on their way. */
  async #tellOfPart(part: Part | null | undefined, report: DeliveryReport): Promise<void> {
    if (!part) return this.deps.dropped('unmatched')
    const { whole, isLast } = part
    const isFailed = report.status === 'failed'
    whole.hasFailed ||= isFailed
    if (isFailed || (isLast && !whole.hasFailed)) await this.deps.report({ ...report, messageId: whole.messageId })
  }

  /** As the answer gave it, and as receipts write it: the parameter has the one, or the other. */
  #idsOf({ ids: [told, ...others], isOfAnswer }: Receipt): string[] {
    const base = RECEIPT_BASE[this.format]
    const written = [told, ...others].flatMap((id) => (id === undefined ? [] : canonical(id, base, base)))
    return [...new Set(isOfAnswer && told !== undefined ? [this.idOf(told), ...written] : written)]
  }
}

interface Part {
  /** Shared by all parts of a message. */
  whole: { readonly messageId: string; hasFailed: boolean }
  isLast: boolean
}

const ANSWER_BASE = { same: undefined, hex: 10, decimal: 16 } as const
const RECEIPT_BASE = { same: undefined, hex: 16, decimal: 10 } as const

/** The id in one way of writing numbers, without zeros in front and capitals: SMPP 3.4, appendix B, pads ids of receipts. */
function canonical(id: string, from: 10 | 16 | undefined, to: 10 | 16 | undefined): string {
  const isNumber = from !== undefined && (from === 16 ? /^[0-9a-f]+$/i : /^\d+$/).test(id)
  if (!isNumber) return id.toLowerCase().replace(/^0+(?=.)/, '')
  return BigInt(from === 16 ? `0x${id}` : id).toString(to)
}

interface Receipt {
  /** The ids by which it names its message, the likeliest first. */
  ids: readonly string[]
  /** The first is `receipted_message_id`. */
  isOfAnswer: boolean
  /** Undefined while nothing is decided. */
  report: DeliveryReport | undefined
}

const MESSAGE_TYPE = 0x3c
const RECEIPT = 0x04

/** The states of a message as receipts write them, by the number `message_state` has for them. */
const STATES = ['', 'ENROUTE', 'DELIVRD', 'EXPIRED', 'DELETED', 'UNDELIV', 'ACCEPTD', 'UNKNOWN', 'REJECTD', 'SKIPPED']
/** Carriers write them longer, too, such as `DELIVERED` and `UNDELIVERABLE`. */
const STATE = /^(?:ENROUT|DELIV|EXPIR|DELET|UNDEL|ACCEP|UNKNO|REJEC|FAIL|SKIPP)/
const FAILED = /^(?:EXPIR|DELET|UNDEL|REJEC|FAIL|SKIPP)/
/** Some carriers leave the word before it out. */
const BARE_STATE = new RegExp(`\\b(${STATES.slice(1).join('|')})\\b`)

const isReceipt = ({ esmClass, receiptedMessageId }: Delivered) =>
  (esmClass & MESSAGE_TYPE) === RECEIPT || receiptedMessageId !== undefined

/** Undefined for what people send, and for a receipt that does not say of what. */
function receiptIn(delivered: Delivered): Receipt | undefined {
  const { text, receiptedMessageId, messageState } = delivered
  if (!isReceipt(delivered)) return undefined
  // NUL ends some fields, and stands before each letter where the text is UTF-16. `text:` quotes the message, and the code in it.
  const [told = ''] = text.replaceAll('\0', /^(?:\0[^\0])+$/.test(text) ? '' : ' ').split(/\btext:/i)
  const ids = [receiptedMessageId, /\bid:\s*([^\s,;]+)/i.exec(told)?.[1]].filter((id) => id !== undefined)
  if (ids.length === 0 || ids.some((id) => id.length > ID_MAX)) return undefined
  const named = /\bstat:\s*([A-Z]+)(?=[\s,;]|$)/i.exec(told) ?? BARE_STATE.exec(told)
  const word = named?.[1]?.toUpperCase()
  const state = [word, STATES[messageState ?? 0]].find((one) => one && STATE.test(one)) ?? ''
  const isOfAnswer = receiptedMessageId !== undefined
  return { ids, isOfAnswer, report: reportOf(state, /\berr:\s*([0-9a-z]{1,5})\b/i.exec(told)?.[1]) }
}

function reportOf(state: string, error: string | undefined): DeliveryReport | undefined {
  if (state.startsWith('DELIV')) return { status: 'delivered' }
  if (!FAILED.test(state)) return undefined
  return { status: 'failed', code: error === undefined ? state : `${state}_${error}` }
}

const EXPLANATIONS: ReadonlyMap<string, string> = new Map([
  [CODE.sender, 'the sender is longer than 20 characters or not ASCII; set another'],
  [CODE.tlv, 'a value of the message does not fit an optional parameter (TLV); see `tlvs`'],
  [CODE.windowFull, 'the carrier answers too slowly for `window` messages at a time; the message was not sent'],
  [CODE.notConnected, 'no session with the carrier; check host, port and certificate'],
  [CODE.noAnswer, 'the carrier did not answer in time; the message may be out'],
  [CODE.linkLost, 'the connection was lost before the carrier answered; the message may be out'],
  [CODE.noId, 'the carrier accepted without a message id; no receipt can be matched'],
  ['EXPIRED', 'the message expired before the phone could be reached'],
  ['DELETED', 'the message was deleted at the carrier'],
  ['UNDELIV', 'the message could not be delivered'],
  ['REJECTD', 'the message was rejected on its way'],
  ['SKIPPED', 'the carrier skipped the message'],
])

export const smpp: CarrierType = {
  config: smppConfig,
  channels: ['sms'],
  settings: [
    { name: 'host', title: 'Host', url: true },
    { name: 'port', title: 'Port', default: '2775', kind: 'number' },
    { name: 'tls', title: 'Use TLS', kind: 'flag' },
    { name: 'systemId', title: 'System ID' },
    { name: 'password', title: 'Password', secret: true },
    { name: 'source.address', title: 'Sender', help: 'A number or a name.', optional: true },
    { name: 'senders', ...SENDERS },
  ],
  reportsBySecret: false,
  places(config) {
    const { window, sessions } = smppConfig.parse(config)
    return { concurrency: window, servers: sessions }
  },
  create,
  explain: (code) => EXPLANATIONS.get(code) ?? EXPLANATIONS.get(code.replace(/_.*/, '')) ?? explainStatus(code),
}
