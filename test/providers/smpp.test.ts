/** The SMPP provider against a real SMSC, the server side of the npm package `smpp`, over sockets of this machine. */
import { afterEach, expect, setSystemTime, test } from 'bun:test'
import type { AddressInfo, Server } from 'node:net'
import smpp, { type PDU, type Session } from 'smpp'
import { presentableCode, type SendOutcome } from '../../src/domain/delivery/delivery'
import type { OutboundMessage } from '../../src/domain/message/rendered-message'
import type { Carrier, ReportedMessage } from '../../src/ports/carrier'
import { smpp as smppType } from '../../src/providers/smpp'
import { systemDial } from '../../src/system/dial'
import { RECEIPTS } from '../field/receipts'
import { HTTP_ONLY } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { seededRandom } from '../support/random'
import { until } from '../support/until'

const NOW = 1_800_000_000_000
/** Passes only where a test lets it. */
let clock = new VirtualClock(NOW)
/** Much longer than everything else that is waited for. */
const TIMEOUT_MS = 10 ** 9
const LOOK_MS = 100
/** After which a receipt that nobody knows is looked up again. */
const SECOND_LOOK_MS = 2_000

const TO = '+821012345678'
const CODE = '482913'
const PASSWORD = 'pa55word'
const TEXT = `[Watchword] ${CODE} is your code.`

/** For 127.0.0.1, from 2020 to 2120; guards nothing. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguNYvUhCaSsYCq21V
UUwD/fM0UizWSaOg/wSR6OlCRH+hRANCAATxSg8m+THPNWOul5LyUke0rZFwk0lV
B3j6Dyt8FQY2RXtcXdQwkSoxEm98gU+jnYrd3TkcO8yZjgPUbdA0A4D0
-----END PRIVATE KEY-----`
const CERT = `-----BEGIN CERTIFICATE-----
MIIBUDCB+KADAgECAgEBMAoGCCqGSM49BAMCMA8xDTALBgNVBAMMBHNtc2MwIBcN
MjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMA8xDTALBgNVBAMMBHNtc2Mw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATxSg8m+THPNWOul5LyUke0rZFwk0lV
B3j6Dyt8FQY2RXtcXdQwkSoxEm98gU+jnYrd3TkcO8yZjgPUbdA0A4D0o0MwQTAP
BgNVHRMBAf8EBTADAQH/MA8GA1UdEQQIMAaHBH8AAAEwHQYDVR0OBBYEFLgZnSAK
uT73iUrRhQ8v8DuEf048MAoGCCqGSM49BAMCA0cAMEQCIEQNjoDw+bClUPW5b8qN
G1djnrEh/iAipBdkriYc2c+2AiANRyK7PDP3TsSKO2Etg03qBpUDCMwYUHGTHS99
d54DmQ==
-----END CERTIFICATE-----`

type Taken = PDU & { short_message: { message: string; udh?: Buffer[] }; data_coding: number }

/** Answers a submit_sm: a status, a message id, or nothing at all. */
type Behaviour = (pdu: Taken, session: Session) => number | string | undefined

const cleanups: Array<() => unknown> = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  clock = new VirtualClock(NOW)
})

class Smsc {
  readonly taken: Taken[] = []
  readonly binds: PDU[] = []
  readonly sessions = new Set<Session>()
  behaviour: Behaviour = () => `m-${this.taken.length}`
  bindStatus: (pdu: PDU) => number = ({ password }) => (password === PASSWORD ? 0 : 0x0e)
  answersEnquiries = true
  enquiries = 0
  unbinds = 0
  port = 0
  #server: Server | undefined

  static async start(options: { key?: string; cert?: string } = {}): Promise<Smsc> {
    const smsc = new Smsc()
    await smsc.listen(options)
    cleanups.push(() => smsc.stop())
    return smsc
  }

  async listen(options: { key?: string; cert?: string } = {}): Promise<void> {
    const server = smpp.createServer(options, (session) => this.#serve(session))
    this.#server = server
    server.on('error', () => {})
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve))
    this.port = (server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    const stopped = new Promise((resolve) => this.#server?.close(resolve))
    for (const session of this.sessions) session.destroy()
    await stopped
  }

  get session(): Session {
    const last = [...this.sessions].at(-1)
    if (!last) throw new Error('no session')
    return last
  }

  /** Asks whether the other side is there; answers the status. It comes behind all that was pushed before. */
  enquire(): Promise<number> {
    return new Promise((resolve) => this.session.enquire_link((pdu) => resolve(pdu.command_status)))
  }

  /** Pushes a receipt; answers the status it is acknowledged with. */
  deliver(fields: Record<string, unknown>): Promise<number> {
    return new Promise((resolve) =>
      this.session.deliver_sm({ esm_class: 4, source_addr: '821012345678', destination_addr: 'W', ...fields }, (pdu) =>
        resolve(pdu.command_status),
      ),
    )
  }

  /** The same as data_sm, whose text is an optional parameter. */
  data(text: Buffer, fields: Record<string, unknown>): Promise<number> {
    const addressed = { esm_class: 4, source_addr: '821012345678', destination_addr: 'W', ...fields }
    const payload = text.length > 0 ? { message_payload: text } : {}
    return new Promise((resolve) =>
      this.session.data_sm({ ...addressed, ...payload }, (pdu) => resolve(pdu.command_status)),
    )
  }

  /** A deliver_sm with bytes behind its last parameter. Its answer comes before that of the enquiry. */
  async deliverWith(fields: Record<string, unknown>, behind: string): Promise<void> {
    const pdu = new smpp.PDU('deliver_sm', { source_addr: '821012345678', destination_addr: 'W', ...fields })
    const bytes = Buffer.concat([pdu.toBuffer(), Buffer.from(behind, 'hex')])
    bytes.writeUInt32BE(bytes.length, 0)
    this.session.socket.write(bytes)
    expect(await this.enquire()).toBe(0)
  }

  receipt(id: string, state: string, error = '000'): Promise<number> {
    const text = `id:${id} sub:001 dlvrd:001 submit date:2601010000 done date:2601010000 stat:${state} err:${error} text:${CODE}`
    return this.deliver({ short_message: Buffer.from(text) })
  }

  #serve(session: Session): void {
    this.sessions.add(session)
    session.on('error', () => {})
    session.on('close', () => this.sessions.delete(session))
    session.on('bind_transceiver', (pdu: PDU) => {
      this.binds.push(pdu)
      session.send(pdu.response({ command_status: this.bindStatus(pdu) }))
    })
    session.on('enquire_link', (pdu: PDU) => {
      this.enquiries++
      if (this.answersEnquiries) session.send(pdu.response())
    })
    session.on('unbind', (pdu: PDU) => {
      this.unbinds++
      session.send(pdu.response())
      session.close()
    })
    session.on('submit_sm', (pdu: Taken) => {
      this.taken.push(pdu)
      const answer = this.behaviour(pdu, session)
      if (typeof answer === 'string') session.send(pdu.response({ message_id: answer }))
      else if (answer !== undefined) session.send(pdu.response({ command_status: answer }))
    })
  }
}

interface Bench {
  provider: Carrier
  reports: ReportedMessage[]
  dropped: string[]
  logged: string[]
  send(message?: Partial<OutboundMessage>): Promise<SendOutcome>
}

interface Surroundings {
  report?: () => Promise<boolean>
  isOurs?: () => boolean
}

function connect(smsc: Smsc, config: Record<string, unknown> = {}, around: Surroundings = {}): Bench {
  const { report, isOurs = () => true } = around
  const reports: ReportedMessage[] = []
  const dropped: string[] = []
  const logged: string[] = []
  const log = (fields: object, message: string) => void logged.push(`${JSON.stringify(fields)} ${message}`)
  const provider = smppType.create(
    {
      name: 'carrier',
      type: 'smpp',
      channels: ['sms'],
      config: { host: '127.0.0.1', port: smsc.port, systemId: 'watchword', password: PASSWORD, ...config },
      createdAt: 0,
    },
    {
      clock,
      random: seededRandom(1),
      dial: systemDial,
      log: { debug: log, info: log, warn: log, error: log },
      timeoutMs: TIMEOUT_MS,
      reportUrl: undefined,
      vault: HTTP_ONLY.vault,
      transport: { request: () => Promise.reject(new Error('no HTTP here')) },
      isOurs,
      dropped: (why) => void dropped.push(why),
      report: async (reported) => {
        reports.push(reported)
        return report ? report() : true
      },
    },
  )
  cleanups.push(() => provider.close?.())
  cleanups.push(() => {
    for (const line of logged) for (const secret of [PASSWORD, CODE, '12345678']) expect(line).not.toContain(secret)
  })
  const send = async (message: Partial<OutboundMessage> = {}) => {
    const outcome = await provider.send({
      messageId: 'our-id',
      channel: 'sms',
      to: TO,
      text: TEXT,
      code: CODE,
      isFallback: false,
      expiresAt: clock.now() + 180_000,
      ...message,
    })
    if (outcome.kind !== 'accepted') {
      expect(presentableCode(outcome.code)).toBe(outcome.code)
      expect(smppType.explain(outcome.code)).toBeString()
    }
    return outcome
  }
  return { provider, reports, dropped, logged, send }
}

/** Lets time pass, and what is due by then happen. */
function pass(ms: number): void {
  clock.leap(ms)
  while (clock.fireNext(0).fired);
}

/** Waits for what takes time, and lets a little of it pass with every look. */
const inTime = (isTrue: () => boolean, what: string) =>
  until(() => {
    if (!isTrue()) pass(LOOK_MS)
    return isTrue()
  }, what)

const bound = (smsc: Smsc, count: number) => inTime(() => smsc.binds.length === count, `${count} binds`)
const taken = (smsc: Smsc, count: number) => until(() => smsc.taken.length === count, `${count} messages to arrive`)
const logs = (logged: string[], text: string) => until(() => logged.join().includes(text), `the log to say: ${text}`)

const accepted = (carrierMessageId: string): SendOutcome => ({ kind: 'accepted', carrierMessageId })
const textsOf = (smsc: Smsc) => smsc.taken.map(({ short_message }) => short_message.message)

test('a server that may not be there has no session, and one that was gives it back once what is out is answered', async () => {
  const smsc = await Smsc.start()
  let ours = 'one'
  const one = connect(smsc, {}, { isOurs: () => ours === 'one' })
  const other = connect(smsc, {}, { isOurs: () => ours === 'other' })
  expect(await one.send()).toEqual(accepted('m-1'))
  expect(await other.send()).toEqual({ kind: 'refused', retry: 'unreached', code: 'SMPP_NOT_CONNECTED' })
  expect(smsc.binds).toHaveLength(1)

  let answer = () => {}
  smsc.behaviour = (pdu, session) => {
    answer = () => session.send(pdu.response({ message_id: 'late' }))
    return undefined
  }
  const underWay = one.send()
  await taken(smsc, 2)
  ours = 'other'
  await bound(smsc, 2)
  expect(smsc.unbinds).toBe(0)
  answer()
  expect(await underWay).toEqual(accepted('late'))
  await until(() => smsc.unbinds === 1, 'the session to be given back')
  smsc.behaviour = () => 'm-3'
  expect(await other.send()).toEqual(accepted('m-3'))
})

test('binds as a transceiver with the account, and says goodbye', async () => {
  const smsc = await Smsc.start()
  const { provider, logged } = connect(smsc, { systemType: 'OTP' })
  await logs(logged, 'session bound')
  expect(smsc.binds[0]).toMatchObject({
    system_id: 'watchword',
    password: PASSWORD,
    system_type: 'OTP',
    interface_version: 0x34,
  })
  await provider.close?.()
  expect(smsc.unbinds).toBe(1)
  await until(() => smsc.sessions.size === 0, 'the session to end')
  expect(await provider.close?.()).toBeUndefined()
})

test.each([0x0d, 0x0e, 0x0f])(
  'a bind refused with %i sends messages elsewhere and marks the carrier',
  async (status) => {
    const smsc = await Smsc.start()
    smsc.bindStatus = () => status
    const { send } = connect(smsc)
    expect(await send()).toMatchObject({ kind: 'refused', retry: 'unfit' })
    expect(await send()).toMatchObject({ kind: 'refused', retry: 'unfit' })
  },
)

test('a wrong password is told, and a corrected account is used at the next bind', async () => {
  const smsc = await Smsc.start()
  smsc.bindStatus = () => 0x0e
  const { send, logged } = connect(smsc)
  expect(await send()).toEqual({ kind: 'refused', retry: 'unfit', code: 'ESME_RINVPASWD' })
  expect(logged.join()).toContain('ESME_RINVPASWD')
  smsc.bindStatus = () => 0
  await bound(smsc, 2)
  await logs(logged, 'session bound')
  expect(await send()).toEqual(accepted('m-1'))
})

test('a message carries number, sender, receipt request and remaining life', async () => {
  const smsc = await Smsc.start()
  const { send } = connect(smsc)
  // The SMSC reads a life as a date of its own clock.
  setSystemTime(NOW)
  expect(await send({ from: 'Watchword' })).toEqual(accepted('m-1'))
  setSystemTime()
  expect(smsc.taken[0]).toMatchObject({
    source_addr_ton: 5,
    source_addr_npi: 0,
    source_addr: 'Watchword',
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: '821012345678',
    registered_delivery: 1,
    data_coding: 0,
    esm_class: 0,
  })
  expect(Number(smsc.taken[0]?.validity_period) - NOW).toBe(180_000)
})

test.each([
  [{ from: '+82215991234' }, {}, { source_addr_ton: 1, source_addr_npi: 1, source_addr: '82215991234' }],
  [{}, {}, { source_addr_ton: 0, source_addr_npi: 0, source_addr: '' }],
  [{}, { source: { address: 'ACME' } }, { source_addr_ton: 5, source_addr: 'ACME' }],
  [{}, { source: { address: 'ACME' }, senders: 'KR=021234' }, { source_addr_ton: 2, source_addr: '021234' }],
  [{ from: 'SHOP' }, { senders: 'KR=021234' }, { source_addr: 'SHOP' }],
  [{ from: '15991234' }, { source: { ton: 3, npi: 0 } }, { source_addr_ton: 3, source_addr_npi: 0 }],
  [{}, { destination: { ton: 2, npi: 8 } }, { dest_addr_ton: 2, dest_addr_npi: 8 }],
  [{}, { validity: 'none' }, { validity_period: '' }],
  [{}, { serviceType: 'OTP' }, { service_type: 'OTP' }],
])('addresses and options follow message %j and configuration %j', async (message, config, fields) => {
  const smsc = await Smsc.start()
  await connect(smsc, config).send(message)
  expect(smsc.taken[0]).toMatchObject(fields)
})

/** The parameters of a submit_sm that SMPP does not name, by their tags. */
const vendorParametersOf = (pdu: Taken | undefined) =>
  Object.fromEntries(
    Object.entries(pdu ?? {})
      .filter(([name]) => /^\d+$/.test(name))
      .map(([tag, value]) => [`0x${Number(tag).toString(16)}`, String(value)]),
  )

test('optional parameters go with each part, and hold values of the message; those without a value are left out', async () => {
  const smsc = await Smsc.start()
  const { send } = connect(smsc, {
    tlvs: [
      { tag: '0x1400', value: '{{dltEntityId}}' },
      { tag: '0x1401', value: '{{dltTemplateId ?? templateCode}}' },
      { tag: '0x1402', value: '{{variables.chain}}\0' },
      { tag: '0x1414', value: 'OTP', type: 'text' },
      { tag: '0x1500', value: '{{expiresInSec}}', type: 'int', bytes: 2 },
    ],
  })
  expect(await send()).toEqual(accepted('m-1'))
  const always = { '0x1414': 'OTP', '0x1500': '\0\ufffd' }
  expect(vendorParametersOf(smsc.taken[0])).toEqual(always)
  const variables = { code: CODE, chain: '1602' }
  const dlt = { entityId: '1201159123456789012' }
  expect(await send({ templateCode: '1207161234567890123', dlt, variables, text: 'a'.repeat(200) })).toEqual(
    accepted('m-3'),
  )
  for (const part of smsc.taken.slice(1))
    expect(vendorParametersOf(part)).toEqual({
      ...{ ...always, '0x1400': '1201159123456789012', '0x1401': '1207161234567890123', '0x1402': '1602\0' },
    })
  expect(await send({ templateCode: '1', dlt: { templateId: '1107' } })).toEqual(accepted('m-4'))
  expect(vendorParametersOf(smsc.taken[3])).toEqual({ ...always, '0x1401': '1107' })
  expect(smsc.taken[0]?.[String(0x1500)]).toEqual(Buffer.from([0, 180]))
})

test.each([
  [{ value: '{{variables.chain}}' }, { chain: '가' }],
  [{ value: '{{variables.chain}}' }, { chain: 'a'.repeat(256) }],
  [{ value: '{{variables.chain}}', type: 'int' }, { chain: 'x' }],
  [{ value: '{{variables.chain}}', type: 'int', bytes: 1 }, { chain: '256' }],
])('a value that fits no optional parameter is refused before anything is sent: %j %j', async (tlv, variables) => {
  const smsc = await Smsc.start()
  const { send } = connect(smsc, { tlvs: [{ tag: '0x1402', ...tlv }] })
  expect(await send({ variables })).toEqual({ kind: 'refused', retry: 'elsewhere', code: 'SMPP_TLV_UNFIT' })
  expect(smsc.taken).toEqual([])
})

test.each([
  { tag: '5120', value: 'x' },
  { tag: '0x1400', value: '' },
  { tag: '0x1400', value: '{{entity}}' },
  { tag: '0x1400', value: '1', type: 'int', bytes: 3 },
])('the optional parameter %j is refused as a setting', (tlv) => {
  const settings = { host: 'smsc', systemId: 'a', password: 'b', tlvs: [tlv] }
  expect(smppType.config.safeParse(settings).success).toBe(false)
})

test('a sender that fits no address is refused before anything is sent', async () => {
  const smsc = await Smsc.start()
  const { send } = connect(smsc)
  expect(await send({ from: '워치워드' })).toEqual({ kind: 'refused', retry: 'elsewhere', code: 'SMPP_SENDER_UNFIT' })
  expect(smsc.taken).toEqual([])
})

test.each([
  ['ASCII', TEXT, 0],
  ['the whole basic alphabet', '@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./:;<=>?¡ÄÖÑÜ§¿äöñüà\n\r', 0],
  ['the extension table', '^{}\\[~]|€ 1', 0],
  ['Korean', `[워치워드] 인증번호는 ${CODE}입니다.`, 8],
  ['what fills a code in', `${TEXT}\nFA+9qCX9VSu\n@app.example.com #${CODE}`, 0],
  ['what fills a code in below Korean', `[${CODE}]입니다.\nFA+9qCX9VSu\n@a.example.com #${CODE}`, 8],
  ['what GSM lacks', 'naïve ç `', 8],
  ['beyond the basic plane', '🔑 482913', 8],
  ['160 septets', 'a'.repeat(160), 0],
  ['70 units', '가'.repeat(70), 8],
])('the SMSC reads %s as it was written', async (_what, text, dataCoding) => {
  const smsc = await Smsc.start()
  expect(await connect(smsc).send({ text })).toEqual(accepted('m-1'))
  expect(textsOf(smsc)).toEqual([text])
  expect(smsc.taken[0]?.data_coding).toBe(dataCoding)
})

test.each([
  ['161 septets', 'a'.repeat(161), [153, 8]],
  ['an escape sequence on the border', `${'a'.repeat(152)}€${'b'.repeat(20)}`, [152, 21]],
  ['71 units', '가'.repeat(71), [67, 4]],
  ['a surrogate pair on the border', `${'가'.repeat(66)}🔑${'나'.repeat(10)}`, [66, 12]],
  ['three parts', '가'.repeat(140), [67, 67, 6]],
  ['what fills a code in on the border', `${'가'.repeat(60)}\n@app.example.com #${CODE}`, [67, 18]],
])('a long text goes in parts: %s', async (_what, text, lengths) => {
  const smsc = await Smsc.start()
  expect(await connect(smsc).send({ text })).toEqual(accepted(`m-${lengths.length}`))
  expect(textsOf(smsc).map(({ length }) => length)).toEqual(lengths)
  expect(textsOf(smsc).join('')).toBe(text)
  const headers = smsc.taken.map(({ short_message }) => [...(short_message.udh?.[0] ?? [])])
  const reference = headers[0]?.[2] ?? -1
  expect(headers).toEqual(lengths.map((_, index) => [0, 3, reference, lengths.length, index + 1]))
  expect(smsc.taken.every(({ esm_class }) => esm_class === 0x40)).toBeTrue()
})

test('a long message is refused with its first part, and ambiguous once one is out', async () => {
  const smsc = await Smsc.start()
  const { send } = connect(smsc)
  const text = 'a'.repeat(400)
  smsc.behaviour = () => 0x58
  expect(await send({ text })).toEqual({ kind: 'refused', retry: 'later', code: 'ESME_RTHROTTLED' })
  expect(smsc.taken).toHaveLength(1)
  smsc.behaviour = () => (smsc.taken.length === 2 ? 'first' : 0x58)
  expect(await send({ text })).toEqual({ kind: 'ambiguous', code: 'ESME_RTHROTTLED' })
  expect(smsc.taken).toHaveLength(3)
})

test.each([
  [0x01, 'never'],
  [0x08, 'later'],
  [0x0a, 'elsewhere'],
  [0x0b, 'never'],
  [0x14, 'later'],
  [0x45, 'elsewhere'],
  [0x58, 'later'],
  [0x62, 'elsewhere'],
  [0x64, 'later'],
  [0x65, 'never'],
  [0x66, 'never'],
  [0x4a1, 'elsewhere'],
] as const)('status %i is refused: %s', async (status, retry) => {
  const smsc = await Smsc.start()
  smsc.behaviour = () => status
  expect(await connect(smsc).send()).toMatchObject({ kind: 'refused', retry })
})

test('an unknown error and an acceptance without an id are ambiguous', async () => {
  const smsc = await Smsc.start()
  const { send } = connect(smsc)
  smsc.behaviour = () => 0xff
  expect(await send()).toEqual({ kind: 'ambiguous', code: 'ESME_RUNKNOWNERR' })
  smsc.behaviour = () => ''
  expect(await send()).toEqual({ kind: 'ambiguous', code: 'SMPP_OK_WITHOUT_ID' })
})

test('throttled, then taken', async () => {
  const smsc = await Smsc.start()
  const { send } = connect(smsc)
  smsc.behaviour = () => (smsc.taken.length === 1 ? 0x58 : 'ok')
  expect(await send()).toMatchObject({ kind: 'refused', retry: 'later' })
  expect(await send()).toEqual(accepted('ok'))
})

test('no answer is ambiguous; the late answer still tells whose receipt comes', async () => {
  const smsc = await Smsc.start()
  const { send, reports } = connect(smsc)
  let answerLate = () => {}
  smsc.behaviour = (pdu, session) => {
    answerLate = () => void session.send(pdu.response({ message_id: 'late' }))
    return undefined
  }
  const sending = send()
  await taken(smsc, 1)
  pass(TIMEOUT_MS)
  expect(await sending).toEqual({ kind: 'ambiguous', code: 'SMPP_NO_ANSWER' })
  answerLate()
  expect(await smsc.receipt('late', 'DELIVRD')).toBe(0)
  expect(reports).toEqual([{ messageId: 'our-id', status: 'delivered' }])
})

test('a connection dropped after the submit is ambiguous', async () => {
  const smsc = await Smsc.start()
  smsc.behaviour = (_pdu, session) => void session.destroy()
  expect(await connect(smsc).send()).toEqual({ kind: 'ambiguous', code: 'SMPP_LINK_LOST' })
})

test('with the SMSC down messages surely stay; once it is up they go', async () => {
  const smsc = await Smsc.start()
  const { send, logged } = connect(smsc)
  expect(await send()).toEqual(accepted('m-1'))
  await smsc.stop()
  await logs(logged, 'session lost')
  const sending = send()
  pass(TIMEOUT_MS)
  expect(await sending).toEqual({ kind: 'refused', retry: 'unreached', code: 'SMPP_NOT_CONNECTED' })
  await smsc.listen()
  await bound(smsc, 2)
  expect(await send()).toEqual(accepted('m-2'))
})

test('a message waits for a link that comes in time', async () => {
  const smsc = await Smsc.start()
  const { send, logged } = connect(smsc)
  await send()
  smsc.session.destroy()
  await logs(logged, 'session lost')
  const sending = send()
  await bound(smsc, 2)
  expect(await sending).toEqual(accepted('m-2'))
  expect(smsc.binds).toHaveLength(2)
})

test('an unbind of the SMSC is followed', async () => {
  const smsc = await Smsc.start()
  const { send } = connect(smsc)
  await send()
  ;(smsc.session as unknown as { unbind(): void }).unbind()
  await bound(smsc, 2)
  expect(await send()).toEqual(accepted('m-2'))
})

test('the link is asked whether it is there, and dropped when it does not say so', async () => {
  const smsc = await Smsc.start()
  connect(smsc, { enquireLinkMs: 1_000 })
  await inTime(() => smsc.enquiries >= 2, 'two questions')
  expect(smsc.binds).toHaveLength(1)
  smsc.answersEnquiries = false
  const before = smsc.enquiries
  await inTime(() => smsc.enquiries > before, 'another question')
  pass(TIMEOUT_MS)
  await bound(smsc, 2)
})

test('the SMSC may ask too', async () => {
  const smsc = await Smsc.start()
  await connect(smsc).send()
  expect(await smsc.enquire()).toBe(0)
})

test('no more are out than the window has room for; the rest wait, and surely stay when their time is over', async () => {
  const smsc = await Smsc.start()
  const { send } = connect(smsc, { window: 2 })
  const held: Array<() => void> = []
  smsc.behaviour = (pdu, session) => {
    held.push(() => void session.send(pdu.response({ message_id: `w-${held.length}` })))
    return undefined
  }
  const sends = [send(), send(), send(), send()]
  await until(() => held.length === 2, 'two to be out')
  held[0]?.()
  await until(() => held.length === 3, 'the third to be out')
  await sends[0]
  pass(TIMEOUT_MS / 2)
  await sends[3]
  pass(TIMEOUT_MS / 2)
  const outcomes = await Promise.all(sends)
  expect(smsc.taken).toHaveLength(3)
  expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'ambiguous', 'ambiguous', 'refused'])
  expect(outcomes[3]).toEqual({ kind: 'refused', retry: 'later', code: 'SMPP_WINDOW_FULL' })
})

test('closing waits for what is out and refuses the rest', async () => {
  const smsc = await Smsc.start()
  const { provider, send } = connect(smsc)
  let answer = () => {}
  smsc.behaviour = (pdu, session) => {
    answer = () => void session.send(pdu.response({ message_id: 'last' }))
    return undefined
  }
  const sending = send()
  await taken(smsc, 1)
  const closing = provider.close?.()
  expect(await send()).toMatchObject({ kind: 'refused', retry: 'later' })
  answer()
  expect(await sending).toEqual(accepted('last'))
  await closing
  expect(smsc.unbinds).toBe(1)
  expect(smsc.binds).toHaveLength(1)
})

test.each([
  ['DELIVRD', { status: 'delivered' }],
  ['UNDELIV', { status: 'failed', code: 'UNDELIV_034' }],
  ['EXPIRED', { status: 'failed', code: 'EXPIRED_034' }],
  ['REJECTD', { status: 'failed', code: 'REJECTD_034' }],
  ['DELETED', { status: 'failed', code: 'DELETED_034' }],
  ['ACCEPTD', undefined],
  ['ENROUTE', undefined],
  ['UNKNOWN', undefined],
] as const)('a receipt that says %s, twice', async (state, report) => {
  const smsc = await Smsc.start()
  const { send, reports } = connect(smsc)
  await send()
  expect(await smsc.receipt('m-1', state, '034')).toBe(0)
  expect(await smsc.receipt('m-1', state, '034')).toBe(0)
  const expected: ReportedMessage[] = report ? [{ ...report, messageId: 'our-id' }] : []
  expect(reports).toEqual([...expected, ...expected])
  for (const { code } of reports) if (code) expect(smppType.explain(code)).toBeString()
})

test.each([
  ['in the optional parameters', { receipted_message_id: 'm-1', message_state: 2 }, 'delivered'],
  ['by number, failed', { receipted_message_id: 'm-1', message_state: 5 }, 'failed'],
  ['in message_payload', { message_payload: Buffer.from('id:m-1 stat:DELIVRD err:000') }, 'delivered'],
  ['in lower case', { short_message: Buffer.from('ID:m-1 STAT:delivrd') }, 'delivered'],
] as const)('a receipt %s', async (_where, fields, status) => {
  const smsc = await Smsc.start()
  const { send, reports } = connect(smsc)
  await send()
  expect(await smsc.deliver(fields)).toBe(0)
  expect(reports).toMatchObject([{ messageId: 'our-id', status }])
})

test('ids that are no GSM text are read as they are, also of messages from before a restart', async () => {
  const smsc = await Smsc.start()
  const { reports } = connect(smsc)
  await bound(smsc, 1)
  expect(await smsc.receipt('a_b[c]@d', 'DELIVRD')).toBe(0)
  expect(reports).toEqual([{ messageId: 'a_b[c]@d', status: 'delivered' }])
})

test('an error that has digits enough for a code is not kept, and nothing of the quoted text is', async () => {
  const smsc = await Smsc.start()
  const { send, reports } = connect(smsc)
  await send()
  await smsc.receipt('m-1', 'UNDELIV', CODE)
  await smsc.deliver({ short_message: Buffer.from('id:m-1 text:stat:UNDELIV err:001') })
  expect(reports).toEqual([{ messageId: 'our-id', status: 'failed', code: 'UNDELIV' }])
})

test.each([
  ['decimal', '0A1B2C', '662316'],
  ['hex', '662316', '0A1B2C'],
])('receipts in %s where the answer was not', async (receiptIds, answered, receipted) => {
  const smsc = await Smsc.start()
  smsc.behaviour = () => answered
  const { send, reports } = connect(smsc, { receiptIds })
  const outcome = await send()
  await smsc.receipt(receipted, 'DELIVRD')
  const later = connect(smsc, { receiptIds })
  await bound(smsc, 2)
  await smsc.receipt(receipted, 'DELIVRD')
  expect(reports).toEqual([{ messageId: 'our-id', status: 'delivered' }])
  // Another process knows the message by the id that is stored.
  expect(later.reports).toEqual([
    { messageId: outcome.kind === 'accepted' ? String(outcome.carrierMessageId) : '', status: 'delivered' },
  ])
})

test.each(RECEIPTS.map((one) => [one.answered, one.text, one] as const))(
  'the receipt for %s is read as the field writes it: %s',
  async (answered, text, { receiptIds = 'same', receiptedId, messageState, isData, behind, status }) => {
    const smsc = await Smsc.start()
    smsc.behaviour = () => answered
    const { send, reports } = connect(smsc, { receiptIds })
    await send()
    const parameters = {
      ...(receiptedId !== undefined && { receipted_message_id: receiptedId }),
      ...(messageState !== undefined && { message_state: messageState }),
    }
    const delivery = { esm_class: 4, short_message: Buffer.from(text), ...parameters }
    if (behind !== undefined) await smsc.deliverWith(delivery, behind)
    else if (isData) expect(await smsc.data(Buffer.from(text), parameters)).toBe(0)
    else expect(await smsc.deliver(delivery)).toBe(0)
    expect(reports.map((one) => [one.messageId, one.status])).toEqual(status === undefined ? [] : [['our-id', status]])
  },
)

// php8-smpp/php8-smpp#15: some report the first part alone. 3GPP TS 23.040, 9.2.3.24.1: a phone shows the text when it has every part.
test.each([
  [[['P1', 'UNDELIV']], ['failed']],
  [[['P2', 'UNDELIV']], ['failed']],
  [
    [
      ['P1', 'UNDELIV'],
      ['P2', 'DELIVRD'],
    ],
    ['failed'],
  ],
  [[['P1', 'DELIVRD']], []],
  [[['P2', 'DELIVRD']], ['delivered']],
  [
    [
      ['P1', 'DELIVRD'],
      ['P2', 'DELIVRD'],
    ],
    ['delivered'],
  ],
] as const)('of a text in two parts %j means %j', async (receipts, statuses) => {
  const smsc = await Smsc.start()
  const ids = ['P1', 'P2']
  smsc.behaviour = () => ids.shift()
  const { send, reports } = connect(smsc)
  await send({ text: `${'a'.repeat(170)} ${CODE}` })
  for (const [id, state] of receipts) expect(await smsc.receipt(id, state)).toBe(0)
  expect(reports.map(({ messageId, status }) => [messageId, status])).toEqual(
    statuses.map((status) => ['our-id', status]),
  )
})

test('a receipt that may be about either of two messages is credited to none, and that is counted', async () => {
  const smsc = await Smsc.start()
  const ids = ['023', '23']
  smsc.behaviour = () => ids.shift()
  const { send, reports, dropped } = connect(smsc, {}, { report: async () => false })
  await send()
  await send({ messageId: 'another' })
  const acknowledged = smsc.receipt('23', 'DELIVRD')
  await inTime(() => dropped.length > 0, 'the receipt to be dropped')
  expect(await acknowledged).toBe(0)
  expect(reports.map(({ messageId }) => messageId)).not.toContain('our-id')
  expect(reports.map(({ messageId }) => messageId)).not.toContain('another')
  expect(dropped).toEqual(['unmatched'])
})

test.each([
  // The other side decodes by GSM 03.38, where 0x40 is another sign.
  ['gsm', '@a.example'],
  ['latin1', '¡a.example'],
  ['ascii', '¡a.example'],
])('where data_coding 0 is %s, an @ goes out as it has it', async (alphabet, read) => {
  const smsc = await Smsc.start()
  const { send } = connect(smsc, { alphabet })
  await send({ text: '@a.example' })
  expect(smsc.taken[0]).toMatchObject({ data_coding: 0, short_message: { message: read } })
})

test.each([
  ['+821012345678', 1, 1],
  ['821012345678', 1, 1],
  ['0212345678', 2, 1],
  ['1588-1234', 2, 1],
  ['12345', 3, 0],
  ['SHOP', 5, 0],
])('the type of the sender %s is %i, of the plan %i: SMPP 3.4, 5.2.5', async (from, ton, npi) => {
  const smsc = await Smsc.start()
  const { send } = connect(smsc)
  await send({ from })
  expect(smsc.taken[0]).toMatchObject({ source_addr_ton: ton, source_addr_npi: npi })
})

test('of a long message only the last part is reported', async () => {
  const smsc = await Smsc.start()
  const { send, reports } = connect(smsc)
  await send({ text: 'a'.repeat(400) })
  for (const id of ['m-1', 'm-2', 'm-3']) expect(await smsc.receipt(id, 'DELIVRD')).toBe(0)
  expect(reports).toEqual([{ messageId: 'our-id', status: 'delivered' }])
})

test('a receipt is acknowledged once it is recorded, and refused when it is not', async () => {
  const smsc = await Smsc.start()
  let record = (_isStored: boolean) => {}
  const report = () =>
    new Promise<boolean>((resolve, reject) => {
      record = (isStored) => (isStored ? resolve(true) : reject(new Error('disk full')))
    })
  const { send, reports } = connect(smsc, {}, { report })
  await send()
  let status: number | undefined
  const receipts = smsc.receipt('m-1', 'DELIVRD').then((answered) => {
    status = answered
  })
  await until(() => reports.length === 1, 'the receipt to be recorded')
  await smsc.enquire()
  expect(status).toBeUndefined()
  record(false)
  await receipts
  expect(status).toBe(0x64)
  const again = smsc.receipt('m-1', 'DELIVRD')
  await until(() => reports.length === 2, 'the receipt to be recorded again')
  record(true)
  expect(await again).toBe(0)
})

test('a receipt right behind the answer is known at once', async () => {
  const smsc = await Smsc.start()
  const { send, reports } = connect(smsc)
  smsc.behaviour = (pdu, session) => {
    session.send(pdu.response({ message_id: 'quick' }))
    void smsc.receipt('quick', 'DELIVRD')
    return undefined
  }
  expect(await send()).toEqual(accepted('quick'))
  await until(() => reports.length > 0, 'the receipt')
  expect(reports).toEqual([{ messageId: 'our-id', status: 'delivered' }])
})

test('a receipt that overtakes the answer finds its message', async () => {
  const smsc = await Smsc.start()
  const { send, reports } = connect(smsc, {}, { report: async () => reports.at(-1)?.messageId === 'our-id' })
  let receipted: Promise<number> | undefined
  let answer = () => {}
  smsc.behaviour = (pdu, session) => {
    receipted = smsc.receipt('early', 'DELIVRD')
    answer = () => void session.send(pdu.response({ message_id: 'early' }))
    return undefined
  }
  const sending = send()
  await until(() => reports.length === 1, 'the receipt')
  answer()
  expect(await sending).toEqual(accepted('early'))
  pass(SECOND_LOOK_MS)
  expect(await receipted).toBe(0)
  expect(reports.map(({ messageId }) => messageId)).toEqual(['early', 'our-id'])
})

test('what people send, and what no one waits for, is acknowledged', async () => {
  const smsc = await Smsc.start()
  const { reports } = connect(smsc, {}, { report: async () => false })
  await bound(smsc, 1)
  expect(await smsc.deliver({ esm_class: 0, short_message: Buffer.from('id:1 stat:DELIVRD') })).toBe(0)
  expect(reports).toEqual([])
  const receipted = smsc.receipt('foreign', 'DELIVRD')
  await until(() => reports.length === 1, 'the receipt')
  pass(SECOND_LOOK_MS)
  expect(await receipted).toBe(0)
  expect(reports).toHaveLength(2)
})

test('over TLS with a CA that is told, and not with a certificate nobody vouches for', async () => {
  const smsc = await Smsc.start({ key: KEY, cert: CERT })
  expect(await connect(smsc, { tls: { ca: CERT } }).send()).toEqual(accepted('m-1'))
  const { send, logged } = connect(smsc, { tls: true })
  const sending = send()
  await logs(logged, 'session lost')
  pass(TIMEOUT_MS)
  expect(await sending).toEqual({
    kind: 'refused',
    retry: 'unreached',
    code: 'SMPP_NOT_CONNECTED',
  })
  expect(smsc.binds).toHaveLength(1)
})

test('bytes that are no SMPP end the session, and a new one is begun', async () => {
  const smsc = await Smsc.start()
  const { send } = connect(smsc)
  await send()
  const { socket } = smsc.session as unknown as { socket: { write(text: string): void } }
  socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')
  await bound(smsc, 2)
  expect(await send()).toEqual(accepted('m-2'))
})

test('the configuration is checked', () => {
  const valid = { host: 'smsc.example', systemId: 'a', password: 'b' }
  expect(smppType.config.safeParse(valid).success).toBeTrue()
  for (const wrong of [{ systemId: 'a'.repeat(16) }, { port: 0 }, { window: 0 }, { receiptIds: 'octal' }, { host: '' }])
    expect(smppType.config.safeParse({ ...valid, ...wrong }).success).toBeFalse()
})
