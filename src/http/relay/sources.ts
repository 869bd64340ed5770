/** Each platform: how it proves itself, where a code stands in its body, and the words of its answers. */

import { readCode } from '../../../client/typed-text'
import type { RelayedCode, RelaySource } from '../../domain/relays/relay'
import { codeIn } from '../../domain/relays/relay'
import { invalid } from '../../domain/shared/error'
import {
  byAuthgear,
  byAuthorization,
  byAuthsignal,
  byStandardWebhooks,
  byZitadel,
  type Proves,
  type RelayRequest,
} from './signatures'

/** A refusal in the terms of every platform. */
export interface RelayRefusal {
  status: number
  message: string
  /** The field at fault. */
  param?: string | undefined
}

interface Answer {
  status: number
  /** JSON, or a text. */
  body: object | string
}

interface RelayFormat {
  proves: Proves
  /** Undefined where the platform tells of something that needs no message. Throws `invalid`. */
  read(body: Fields, request: RelayRequest): RelayedCode | undefined
  refuse?(refusal: RelayRefusal): Answer
}

/** A body, read by dotted paths. Nothing but texts and numbers is a value. */
export class Fields {
  constructor(private readonly body: unknown) {}

  at(path: string): string | undefined {
    const value = this.#valueAt(path)
    if (typeof value === 'number') return String(value)
    if (typeof value !== 'string' || value === '') return undefined
    // Templates that are written on Windows end their lines so.
    return value.replace(/\r\n?|\u0085/g, '\n').replaceAll('\t', ' ')
  }

  isTrue(path: string): boolean {
    return this.#valueAt(path) === true
  }

  #valueAt(path: string): unknown {
    let value = this.body
    for (const step of path.split('.'))
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined
    return value
  }

  /** Throws `invalid`. */
  need(...paths: [string, ...string[]]): string {
    for (const path of paths) {
      const value = this.at(path)
      if (value !== undefined) return value
    }
    throw invalid(paths[0], 'required', 'is missing')
  }
}

/** JSON, or a form. Throws `invalid`. */
export function fieldsOf({ headers, body }: RelayRequest): Fields {
  if (headers.get('content-type')?.toLowerCase().startsWith('application/x-www-form-urlencoded'))
    return new Fields(Object.fromEntries(new URLSearchParams(body)))
  try {
    return new Fields(JSON.parse(body.replace(/^\ufeff/, '')))
  } catch {
    throw invalid('body', 'invalid_json', 'must be JSON or a form')
  }
}

const codeOf = (fields: Fields, text: string | undefined, ...paths: string[]): string => {
  for (const path of paths) {
    const code = fields.at(path)
    if (code !== undefined) return readCode(code) ?? code
  }
  const found = text && codeIn(text)
  if (found) return found
  throw invalid(paths[0] ?? 'text', 'required', 'there is no code in this message')
}

/** The same content is the same message. */
const byContent = (...parts: Array<string | undefined>) => ({ dedupe: JSON.stringify(parts), hasStableId: false })
const byId = (id: string) => ({ dedupe: id, hasStableId: true })

/** With or without the plus sign. */
const e164 = (number: string) => (/^[1-9]\d{6,14}$/.test(number) ? `+${number}` : number)

/** Limits, blocks, an empty wallet and a database that is away: the owner reads in the log which it was, and people who sign in need not know. */
const FOR_THE_OWNER = [402, 403, 429, 503]
const shownToUsers = ({ status, message }: RelayRefusal) =>
  FOR_THE_OWNER.includes(status) ? 'No code can be sent at the moment. Try again later' : message

const plain: RelayFormat = {
  proves: byAuthorization,
  read(fields) {
    const text = fields.at('text') ?? fields.at('message') ?? fields.at('body')
    const phoneNumber = fields.need('to', 'phoneNumber')
    const code = codeOf(fields, text, 'code')
    const id = fields.at('id')
    return {
      ...{ phoneNumber, code, text, locale: fields.at('locale'), occasion: fields.at('type') },
      address: fields.at('ip'),
      ...(id === undefined ? byContent(phoneNumber, code) : byId(id)),
    }
  },
}

export const FORMATS: Readonly<Record<RelaySource, RelayFormat>> = {
  plain,
  // Our body template for Kratos writes the same fields.
  kratos: plain,
  supabase: {
    proves: byStandardWebhooks,
    read(fields) {
      const phoneNumber = e164(fields.need('sms.phone', 'user.phone'))
      const code = fields.need('sms.otp')
      // Each try has another id, so the content tells them apart.
      const same = byContent(fields.at('user.id'), code, phoneNumber)
      return {
        phoneNumber,
        code,
        occasion: fields.at('sms.sms_type'),
        address: fields.at('metadata.ip_address'),
        ...same,
      }
    },
    // Other statuses reach its users as 500.
    refuse: (refusal) => ({
      status: refusal.status === 401 || refusal.status === 503 ? refusal.status : 200,
      body: { error: { http_code: refusal.status, message: refusal.message } },
    }),
  },
  zitadel: {
    proves: byZitadel,
    read(fields) {
      const phoneNumber = fields.need('contextInfo.recipientPhoneNumber', 'args.verifiedPhone', 'args.lastPhone')
      // Its other texts come untranslated.
      const text = fields.at('templateData.text')
      const code = codeOf(fields, text, 'args.oTP', 'args.code')
      return { phoneNumber, code, text, occasion: fields.at('contextInfo.eventType'), ...byContent(phoneNumber, code) }
    },
  },
  logto: {
    proves: byAuthorization,
    read(fields) {
      const phoneNumber = e164(fields.need('to'))
      const code = fields.need('payload.code')
      return {
        ...{ phoneNumber, code, locale: fields.at('payload.locale'), occasion: fields.at('type') },
        ...{ address: fields.at('ip'), ...byContent(phoneNumber, code) },
      }
    },
    // It shows the body to whoever signs in.
    refuse: ({ status, message }) => ({ status, body: message }),
  },
  authgear: {
    proves: byAuthgear,
    read(fields) {
      const phoneNumber = fields.need('to')
      const text = fields.need('body')
      const code = codeOf(fields, text, 'template_variables.code')
      const occasion = fields.at('template_name')?.replace(/\.txt$/, '')
      return { phoneNumber, code, text, locale: fields.at('language_tag'), occasion, ...byContent(phoneNumber, code) }
    },
    refuse: ({ status, message, param }) => ({
      status,
      body: {
        code: param === 'phoneNumber' ? 'invalid_phone_number' : (AUTHGEAR_CODES[status] ?? 'unknown_error'),
        description: message,
      },
    }),
  },
  clerk: {
    proves: byStandardWebhooks,
    read(fields, { headers }) {
      // Clerk also tells of texts that it delivers itself. Without this a second text would go out.
      if (fields.at('type') !== 'sms.created' || fields.isTrue('data.delivered_by_clerk')) return undefined
      const text = fields.at('data.message')
      const id = headers.get('svix-id') ?? headers.get('webhook-id') ?? ''
      return {
        ...{ phoneNumber: fields.need('data.to_phone_number'), text, occasion: fields.at('data.slug') },
        ...{ code: codeOf(fields, text, 'data.data.otp_code'), ...byId(id) },
      }
    },
  },
  authsignal: {
    proves: byAuthsignal,
    read(fields) {
      if (fields.at('type') !== 'sms.created') return undefined
      const id = fields.need('data.idempotencyKey', 'id')
      return {
        ...{ phoneNumber: fields.need('data.to'), code: fields.need('data.code'), locale: fields.at('data.locale') },
        ...{ occasion: fields.at('data.actionCode'), ...byId(id) },
      }
    },
  },
  otpgateway: {
    proves: byAuthorization,
    read(fields) {
      const phoneNumber = e164(fields.need('otp.to'))
      const code = fields.need('otp.otp')
      const same = byContent(fields.at('otp.namespace'), fields.at('otp.id'), phoneNumber, code)
      return { phoneNumber, code, text: fields.at('body'), occasion: fields.at('otp.namespace'), ...same }
    },
  },
}

const AUTHGEAR_CODES: Readonly<Record<number, string>> = {
  400: 'unsupported_request',
  401: 'authentication_failed',
  402: 'delivery_rejected',
  403: 'delivery_rejected',
  413: 'unsupported_request',
  429: 'rate_limited',
  503: 'timeout',
}

/** The answer to a code that is taken, or was taken before. */
export const takenAs = (source: RelaySource, messageId: string): Answer => ({
  status: 200,
  body: source === 'authgear' ? { code: 'ok', info: { provider_name: 'watchword' } } : { id: messageId },
})

export function refusedAs(source: RelaySource, refusal: RelayRefusal): Answer {
  const shown = { ...refusal, message: shownToUsers(refusal) }
  return FORMATS[source].refuse?.(shown) ?? { status: shown.status, body: { error: shown.message } }
}
