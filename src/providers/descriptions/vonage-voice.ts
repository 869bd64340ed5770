/** Calls by Vonage's Voice API that say the code. It hangs up on answering machines. */
import type { DescriptionFile } from '../description'
import { KEY_PROMPTS, PHRASES, PRESS_KEY, VOICES } from './spoken-codes'

const SAYS_CODE = { action: 'talk', text: '{{phrase}}', language: '{{language}}', loop: 2 }
const call = (ncco: NonNullable<DescriptionFile['send'][string]['request']['json']>) => ({
  path: '/v1/calls',
  json: {
    to: [{ type: 'phone', number: '{{toDigits}}' }],
    from: { type: 'phone', number: '{{from|digits}}' },
    ncco,
    event_url: ['{{reportUrl}}'],
    event_method: 'POST',
    machine_detection: 'hangup',
    ringing_timer: 30,
    length_timer: 60,
  },
})

export const vonageVoice: DescriptionFile = {
  type: 'vonage-voice',
  title: 'Vonage Voice',
  documentation: 'https://developer.vonage.com/en/api/voice',
  channels: ['voice'],
  fields: {
    applicationId: {
      title: 'Application ID',
      help: 'An application with the capability Voice.',
      pattern: '^[0-9a-fA-F-]{36}$',
      says: 'must be the ID of the application',
    },
    privateKey: {
      title: 'Private key',
      help: 'Of the application, as PEM.',
      secret: true,
      multiline: true,
      pattern: 'PRIVATE KEY',
      says: 'must be the private key of the application as PEM',
    },
    signatureSecret: {
      title: 'Signature secret',
      help: 'Of the account; Vonage signs its reports with it.',
      secret: true,
      pattern: '^[\\x21-\\x7e]{8,}$',
      says: 'must be the signature secret of the account',
    },
    from: {
      title: 'Caller',
      help: 'A number of the account that can make calls, in E.164.',
      pattern: '^\\+?[1-9]\\d{6,14}$',
      says: 'must be a number in E.164',
    },
    pressKey: PRESS_KEY,
    apiBase: { title: 'API base', help: 'Or that of a region.', url: true, default: 'https://api.nexmo.com' },
  },
  auth: {
    type: 'jwt',
    algorithm: 'RS256',
    key: '{{privateKey}}',
    claims: { application_id: '{{applicationId}}', iat: '{{unixSeconds}}', jti: '{{uuid}}' },
  },
  languages: VOICES,
  phrases: PHRASES,
  keyPrompts: KEY_PROMPTS,
  send: {
    voiceByKey: {
      channel: 'voice',
      when: [{ value: '{{pressKey}}' }],
      needs: [{ value: '{{answerUrl}}', code: 'NO_PUBLIC_URL' }],
      request: call([
        { action: 'talk', text: '{{keyPrompt}}', language: '{{language}}', loop: 2, bargeIn: true },
        {
          action: 'input',
          type: ['dtmf'],
          dtmf: { maxDigits: 1, timeOut: 10 },
          eventUrl: ['{{answerUrl}}'],
          eventMethod: 'POST',
        },
      ]),
      id: 'uuid',
    },
    voice: { request: call([SAYS_CODE]), id: 'uuid' },
  },
  result: {
    status: 'status',
    delivered: ['completed'],
    failed: ['busy', 'cancelled', 'failed', 'rejected', 'timeout', 'unanswered', 'machine'],
    failedCode: '{{status|upper}}',
  },
  reports: {
    signature: { type: 'jwt', algorithm: 'HS256', key: '{{signatureSecret}}' },
    kinds: [{ api: 'voice', id: 'uuid' }],
  },
  // The keys come with a token over the body, as reports do.
  calls: {
    contentType: 'application/json',
    documents: [{ if: [{ path: 'dtmf.digits', matches: '.' }], document: [SAYS_CODE] }, { document: [] }],
  },
  codes: {
    NO_PUBLIC_URL: ['elsewhere', 'Vonage tells this server that a key was pressed; set WATCHWORD_PUBLIC_URL'],
    HTTP_400: ['elsewhere', 'Vonage found the request malformed; check the caller'],
    HTTP_401: ['unfit', 'Vonage refused our credentials; check application ID and private key'],
    HTTP_402: ['unfit', 'the account at Vonage has no balance left'],
    HTTP_403: ['elsewhere', 'the application may not make this call; is the caller linked to it?'],
    HTTP_404: ['elsewhere', 'Vonage knows no such address; check the API base'],
  },
  reasons: {
    BUSY: 'the line was busy',
    CANCELLED: 'the call was canceled',
    FAILED: 'the call could not be made; the number may not exist',
    REJECTED: 'the call was rejected',
    TIMEOUT: 'nobody answered',
    UNANSWERED: 'nobody answered',
    MACHINE: 'an answering machine took the call, and Vonage hung up',
  },
}
