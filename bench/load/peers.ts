/** How others are asked: for a code, and whether it is the right one. */
import { httpRequest } from './connection'

export type Peer = 'better-auth' | 'otpgateway' | 'supabase'

interface Speech {
  issue(phoneNumber: string): string
  verify(phoneNumber: string, code: string): string
  /** Numbers that it knows already, the first ones: a number that is new would also be a user to be made. */
  known?: number
}

/** Of the one app that otpgateway serves. */
export const OTPGATEWAY = { namespace: 'bench', secret: 'guards-nothing', provider: 'sms' }
const credentials = Buffer.from(`${OTPGATEWAY.namespace}:${OTPGATEWAY.secret}`).toString('base64')

/** A code is found again by an id of the caller's. */
const otpgateway = (method: 'PUT' | 'POST', phoneNumber: string, form: Record<string, string>) =>
  httpRequest(
    method,
    `/api/otp/${phoneNumber.slice(1)}`,
    { Authorization: `Basic ${credentials}` },
    String(new URLSearchParams(form)),
    'application/x-www-form-urlencoded',
  )

const json = (path: string, body: object) => httpRequest('POST', path, {}, JSON.stringify(body))

export const PEERS: Record<Peer, Speech> = {
  'better-auth': {
    issue: (phoneNumber) => json('/api/auth/phone-number/send-otp', { phoneNumber }),
    verify: (phoneNumber, code) => json('/api/auth/phone-number/verify', { phoneNumber, code }),
  },
  otpgateway: {
    issue: (to) => otpgateway('PUT', to, { provider: OTPGATEWAY.provider, to }),
    verify: (to, otp) => otpgateway('POST', to, { otp }),
  },
  supabase: {
    issue: (phone) => json('/otp', { phone }),
    verify: (phone, token) => json('/verify', { type: 'sms', phone, token }),
    known: 20_000,
  },
}
