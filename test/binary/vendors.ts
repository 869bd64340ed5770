/**
 * Meta's Cloud API, the Telegram Gateway, Twilio's calls and a carrier of type `http` on loopback. Each answers as its
 * documentation says and signs its reports so. A request that the vendor would refuse is answered as the vendor does.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { until } from '../support/until'
import type { Json } from './support'

export const PUBLIC_URL = 'https://otp.example.com'
const PHONE_NUMBER_ID = '106540352242922'
const META_TOKEN = 'EAAJ-a-permanent-token'
const APP_SECRET = '0123456789abcdef0123456789abcdef'
const TELEGRAM_TOKEN = 'AAEAAAAB-token-of-the-gateway'
const ACCOUNT_SID = `AC${'0123456789abcdef'.repeat(2)}`
const AUTH_TOKEN = 'the-auth-token-of-twilio'

export type Way = 'whatsapp' | 'telegram' | 'sms' | 'voice'

/** A message that a vendor was asked for. */
export interface Start {
  way: Way
  /** In E.164. */
  to: string
  /** The code of a call is empty until somebody has heard it. */
  code: string
  /** The vendor's. */
  id: string
  /** The server's; calls have none. */
  messageId: string | undefined
  /** As the request names it, or as it is entered at Meta. */
  reportUrl: string
}

export type Fate = 'delivered' | 'failed' | 'absent'

export class Vendors {
  readonly starts: Start[] = []
  /** The answer of a vendor that does not take the message. */
  answer: (start: Start) => Promise<Response | undefined> | Response | undefined = () => undefined
  /** The report secret of the carrier of type `http`. */
  smsSecret = ''
  /** The address where the server listens, as behind a proxy. The vendor knows `PUBLIC_URL` only. */
  server: () => string = () => PUBLIC_URL
  readonly #server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => this.#receive(request) })

  #hasStopped = false

  stop = () => {
    this.#hasStopped = true
    return this.#server.stop(true)
  }

  /** Words of `provider set` for each carrier. */
  get carriers(): Record<'meta' | 'telegram' | 'main' | 'calls', string[]> {
    const base = `http://127.0.0.1:${this.#server.port}`
    const set = (settings: Record<string, string>) =>
      Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`])
    const meta = { phoneNumberId: PHONE_NUMBER_ID, accessToken: META_TOKEN, appSecret: APP_SECRET }
    const twilio = { accountSid: ACCOUNT_SID, authToken: AUTH_TOKEN, from: '+15005550006' }
    return {
      meta: ['--type', 'whatsapp', '--channel', 'whatsapp', ...set({ ...meta, apiBase: `${base}/v22.0` })],
      telegram: ['--type', 'telegram', '--channel', 'telegram', ...set({ token: TELEGRAM_TOKEN, apiBase: base })],
      main: ['--type', 'http', '--channel', 'sms', '--url', `${base}/sms`, '--reports'],
      calls: ['--type', 'twilio-voice', '--channel', 'voice', ...set({ ...twilio, apiBase: base })],
    }
  }

  to = (phone: string) => this.starts.filter(({ to }) => to === phone)

  async #receive(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const text = await request.text()
    const authorization = request.headers.get('authorization')
    switch (pathname) {
      case `/v22.0/${PHONE_NUMBER_ID}/messages`:
        return authorization === `Bearer ${META_TOKEN}` ? this.#meta(JSON.parse(text)) : metaError(401, 190)
      case '/sendVerificationMessage':
        return authorization === `Bearer ${TELEGRAM_TOKEN}`
          ? this.#telegram(JSON.parse(text))
          : telegramError('ACCESS_TOKEN_INVALID')
      case '/checkVerificationStatus': {
        const asked = this.starts.find(({ id }) => id === JSON.parse(text).request_id)
        return asked
          ? Response.json({ ok: true, result: telegramStatus(asked, 'sent') })
          : telegramError('REQUEST_ID_INVALID')
      }
      case `/2010-04-01/Accounts/${ACCOUNT_SID}/Calls.json`:
        return authorization === `Basic ${btoa(`${ACCOUNT_SID}:${AUTH_TOKEN}`)}`
          ? this.#twilio(new URLSearchParams(text))
          : twilioError(401, 20003)
      case '/sms':
        return this.#sms(JSON.parse(text))
      default:
        return new Response('', { status: 404 })
    }
  }

  async #meta({ to, type, template, messaging_product, biz_opaque_callback_data }: Json): Promise<Response> {
    const texts = template?.components?.flatMap((one: Json) => one.parameters.map((parameter: Json) => parameter.text))
    const isTemplate = messaging_product === 'whatsapp' && type === 'template' && template.name === 'otp_code'
    if (!isTemplate || texts.length !== 2 || new Set(texts).size !== 1) return metaError(400, 132000)
    const start = this.#start({
      ...{ way: 'whatsapp', to: `+${to}`, code: texts[0], id: `wamid.${randomBytes(24).toString('base64')}` },
      ...{ messageId: biz_opaque_callback_data, reportUrl: `${PUBLIC_URL}/provider-reports/meta` },
    })
    const contacts = [{ input: to, wa_id: to }]
    const messages = [{ id: start.id, message_status: 'accepted' }]
    return (await this.answer(start)) ?? Response.json({ messaging_product: 'whatsapp', contacts, messages })
  }

  async #telegram({ phone_number: to, code, ttl, payload, callback_url: reportUrl }: Json): Promise<Response> {
    if (!(ttl === undefined || (ttl >= 30 && ttl <= 3_600))) return telegramError('TTL_INVALID')
    if (!reportUrl?.startsWith('https://')) return telegramError('CALLBACK_URL_INVALID')
    const id = `${1e14 + this.starts.length}`
    const start = this.#start({ way: 'telegram', to, code, id, messageId: payload, reportUrl })
    return (await this.answer(start)) ?? Response.json({ ok: true, result: telegramStatus(start, 'sent') })
  }

  async #twilio(form: URLSearchParams): Promise<Response> {
    const url = form.get('Url') ?? ''
    if (!url.startsWith(`${PUBLIC_URL}/provider-reports/calls?answer=`)) return twilioError(400, 21205)
    const start = this.#start({
      ...{ way: 'voice', to: form.get('To') ?? '', code: '', id: `CA${randomBytes(16).toString('hex')}` },
      ...{ messageId: undefined, reportUrl: form.get('StatusCallback') ?? '' },
    })
    void this.#pickUp(start, url)
    const call = { sid: start.id, account_sid: ACCOUNT_SID, status: 'queued', direction: 'outbound-api', to: start.to }
    return (await this.answer(start)) ?? Response.json(call, { status: 201 })
  }

  /** A human answers, and the vendor fetches what to say; it asks again while the server is away. */
  async #pickUp(start: Start, url: string): Promise<void> {
    const form = { ...callOf(start), CallStatus: 'in-progress', AnsweredBy: 'human' }
    const document = async () => {
      const response = await fetch(url.replace(PUBLIC_URL, this.server()), {
        method: 'POST',
        ...twilioSigned(url, form),
      })
      return response.ok ? response.text() : ''
    }
    const isHeard = async () => {
      const said = [...(await document().catch(() => '')).matchAll(/<Say[^>]*>([^<]*)<\/Say>/g)].map(
        ([, one = '']) => one,
      )
      if (said.length === 2 && said[0] === said[1]) start.code = (said[0] ?? '').replace(/\D/g, '')
      return start.code !== '' || this.#hasStopped
    }
    await until(isHeard, 'a call to be heard').catch(() => {})
  }

  async #sms({ to, text, messageId }: Json): Promise<Response> {
    const code = /(?<!\d)\d{6}(?!\d)/.exec(text)?.[0] ?? ''
    const reportUrl = `${PUBLIC_URL}/provider-reports/main`
    const start = this.#start({ way: 'sms', to, code, id: `sms-${messageId}`, messageId, reportUrl })
    return (await this.answer(start)) ?? Response.json({ id: start.id })
  }

  #start(start: Start): Start {
    this.starts.push(start)
    return start
  }

  /** The report as the vendor posts it; the server listens elsewhere than the vendor believes, as behind a proxy. */
  reportOn(start: Start, fate: Fate, server: string): Request {
    const { body, headers } = this.#signed(start, fate)
    return new Request(start.reportUrl.replace(PUBLIC_URL, server), { method: 'POST', body, headers })
  }

  #signed(start: Start, fate: Fate): { body: string; headers: Record<string, string> } {
    const json = { 'content-type': 'application/json' }
    switch (start.way) {
      case 'whatsapp': {
        const body = JSON.stringify(metaReport(start, fate))
        return { body, headers: { ...json, 'x-hub-signature-256': `sha256=${hmac('sha256', APP_SECRET, body)}` } }
      }
      case 'telegram': {
        const body = JSON.stringify(telegramStatus(start, fate === 'delivered' ? 'delivered' : 'expired'))
        const at = String(Math.floor(Date.now() / 1_000))
        const key = createHash('sha256').update(TELEGRAM_TOKEN).digest()
        const signature = hmac('sha256', key, `${at}\n${body}`)
        return { body, headers: { ...json, 'x-request-timestamp': at, 'x-request-signature': signature } }
      }
      case 'voice': {
        const form = {
          ...callOf(start),
          CallStatus: fate === 'delivered' ? 'completed' : 'busy',
          AnsweredBy: 'unknown',
        }
        return twilioSigned(start.reportUrl, form)
      }
      case 'sms': {
        const status = fate === 'delivered' ? 'delivered' : 'failed'
        const headers = { ...json, authorization: `Bearer ${this.smsSecret}` }
        return { body: JSON.stringify([{ messageId: start.messageId, status }]), headers }
      }
    }
  }
}

const callOf = ({ to, id }: Start) => ({
  ...{ AccountSid: ACCOUNT_SID, ApiVersion: '2010-04-01', Direction: 'outbound-api', To: to, CallSid: id },
})

function twilioSigned(url: string, fields: Record<string, string>) {
  const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))
  const signature = createHmac('sha1', AUTH_TOKEN)
    .update(url + sorted.flat().join(''))
    .digest('base64')
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature }
  return { body: new URLSearchParams(fields).toString(), headers }
}

const hmac = (algorithm: string, key: string | Buffer, text: string) =>
  createHmac(algorithm, key).update(text).digest('hex')

const metaError = (status: number, code: number) =>
  Response.json({ error: { message: `(#${code})`, type: 'OAuthException', code, fbtrace_id: 'Az8or2yhq' } }, { status })
export const telegramError = (error: string) => Response.json({ ok: false, error })
const twilioError = (status: number, code: number) => Response.json({ code, message: 'No', status }, { status })

/** The answer of each vendor that refuses a message. */
export const refusal: Record<Way, () => Response> = {
  whatsapp: () => metaError(400, 131049),
  telegram: () => telegramError('PHONE_NUMBER_NOT_FOUND'),
  sms: () => Response.json({ code: 'NO' }, { status: 400 }),
  voice: () => twilioError(400, 21214),
}

const telegramStatus = ({ id, to, messageId }: Start, status: string) => ({
  request_id: id,
  phone_number: to,
  request_cost: 0.01,
  delivery_status: { status, updated_at: Math.floor(Date.now() / 1_000) },
  payload: messageId,
})

/** What came before comes again in the same body, as Meta does. */
function metaReport({ id, to, messageId }: Start, fate: Fate) {
  const status = (name: string, more: object = {}) => ({
    ...{ id, status: name, timestamp: String(Math.floor(Date.now() / 1_000)), recipient_id: to.slice(1) },
    ...{ biz_opaque_callback_data: messageId, ...more },
  })
  const errors = [{ code: fate === 'absent' ? 131026 : 131049, title: 'Message undeliverable' }]
  const last = fate === 'delivered' ? [status('read'), status('delivered')] : [status('failed', { errors })]
  const metadata = { display_phone_number: '15550051310', phone_number_id: PHONE_NUMBER_ID }
  const value = { messaging_product: 'whatsapp', metadata, statuses: [status('sent'), ...last] }
  return {
    object: 'whatsapp_business_account',
    entry: [{ id: '102290129340398', changes: [{ value, field: 'messages' }] }],
  }
}
