/** How each platform signs and what it posts, as its documentation has it. */
import { createHmac } from 'node:crypto'
import type { RelaySource } from '../../src/domain/relays/relay'
import * as administer from '../../src/usecases/administer'
import type { World } from '../support/world'

export const TO = '+821012345678'
export const PLATFORM_SECRET = Buffer.from('a secret of the platform, long').toString('base64')

export type Signed = Record<string, string>
export const hmac = (key: string | Buffer, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', key).update(text).digest(encoding)
export const json = { 'content-type': 'application/json' }

let tries = 0
/** `at`: seconds. */
const standard = (prefix: string) => (body: string, secret: string, at: number) => {
  // Supabase names each try anew, Svix the message.
  const id = prefix === 'svix' ? `msg_${hmac('', body, 'hex')}` : `msg_${tries++}`
  const key = Buffer.from(secret.replace(/^(v1,)?whsec_/, ''), 'base64')
  const signature = `v1,${hmac(key, `${id}.${at}.${body}`, 'base64')}`
  const other = `v1,${hmac('another', body, 'base64')}`
  return {
    ...json,
    ...{ [`${prefix}-id`]: id, [`${prefix}-timestamp`]: String(at), [`${prefix}-signature`]: `${other}, ${signature}` },
  }
}
export const bearer = (_: string, secret: string) => ({ ...json, authorization: `Bearer ${secret}` })

export interface Platform {
  sign(body: string, secret: string, at: number): Signed
  body(code: string): object
  /** Its signature ends. */
  isTimed?: true
  /** The text that goes out; undefined: our template. */
  text?(code: string): string
}

export const PLATFORMS: Record<RelaySource, Platform> = {
  supabase: {
    sign: standard('webhook'),
    isTimed: true,
    body: (otp) => ({
      metadata: { uuid: crypto.randomUUID(), name: 'send-sms', ip_address: '203.0.113.9' },
      user: { id: '6481a5c1-3d37-4a56-9f6a-bee08c554965', phone: TO.slice(1) },
      sms: { otp, phone: TO.slice(1), sms_type: 'mfa' },
    }),
  },
  kratos: {
    sign: bearer,
    body: (code) => ({ to: TO, text: `Your login code: ${code}`, type: 'login_code_valid', code }),
    text: (code) => `Your login code: ${code}`,
  },
  zitadel: {
    sign: (body, secret, at) => ({
      ...json,
      'zitadel-signature': `t=${at},v1=${hmac('former', body, 'hex')},v1=${hmac(secret, `${at}.${body}`, 'hex')}`,
    }),
    isTimed: true,
    body: (oTP) => ({
      contextInfo: { eventType: 'session.otp.sms.challenged', recipientPhoneNumber: TO },
      templateData: { title: 'untranslated', text: `${oTP} is your OTP` },
      args: { oTP, lastPhone: TO, expiry: 300_000_000_000 },
    }),
    text: (code) => `${code} is your OTP`,
  },
  logto: {
    sign: (_, secret) => ({ ...json, authorization: secret }),
    body: (code) => ({ to: TO.slice(1), type: 'SignIn', payload: { code, locale: 'en' }, ip: '203.0.113.9' }),
  },
  authgear: {
    sign: (body, secret) => ({ ...json, 'x-authgear-body-signature': hmac(secret, body, 'hex') }),
    body: (code) => ({
      ...{ to: TO, body: `Code: ${code}`, language_tag: 'en', template_name: 'authenticate_primary_oob_sms.txt' },
      template_variables: { code },
    }),
    text: (code) => `Code: ${code}`,
  },
  clerk: {
    sign: standard('svix'),
    isTimed: true,
    body: (otp_code) => ({
      type: 'sms.created',
      data: { to_phone_number: TO, message: `${otp_code} is your code`, slug: 'verification_code', data: { otp_code } },
    }),
    text: (code) => `${code} is your code`,
  },
  authsignal: {
    sign: (body, secret, at) => ({
      ...json,
      'x-signature-v2': `t=${at},v2=${hmac(secret, `${at}.${body}`, 'base64').replace('=', '')}`,
    }),
    isTimed: true,
    body: (code) => ({ version: 1, id: code, type: 'sms.created', data: { to: TO, code, idempotencyKey: `i${code}` } }),
  },
  otpgateway: {
    sign: (_, secret) => ({ ...json, authorization: `Basic ${Buffer.from(`user:${secret}`).toString('base64')}` }),
    body: (otp) => ({ otp: { namespace: 'app', id: 'u1', to: TO, otp }, subject: '', body: `Code ${otp}` }),
    text: (code) => `Code ${code}`,
  },
  plain: {
    sign: bearer,
    body: (code) => ({ to: TO, text: `Keycloak: ${code}` }),
    text: (code) => `Keycloak: ${code}`,
  },
}

/** A relay with its secret. */
export async function openRelay(
  { admin }: World,
  appId: string,
  source: RelaySource,
  more: Partial<administer.WantedRelay> = {},
) {
  const wanted = { name: 'login', source, mode: 'live' as const, ...more }
  const { relay, newSecret } = await administer.addRelay(admin, appId, wanted)
  if (newSecret === undefined) await administer.changeRelaySecret(admin, relay.relayId, PLATFORM_SECRET)
  return { path: `/relay/${source}/${relay.relayId}`, relay, secret: newSecret ?? PLATFORM_SECRET }
}
