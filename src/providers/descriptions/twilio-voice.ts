/** Calls by Twilio Programmable Voice that say the code, and never to an answering machine: Twilio tells who answered, and then gets the words. */
import type { DescriptionFile } from '../description'
import { KEY_PROMPTS, PHRASES, PRESS_KEY, VOICES } from './spoken-codes'
import { twilio } from './twilio'

const SAY = '<Say language="{{language|xml}}">{{phrase|xml}}</Say>'
const PAUSE = '<Pause length="1"/>'
// Every key counts, `#` too.
const GATHER = '<Gather numDigits="1" finishOnKey="" timeout="10" action="{{answerUrl|xml}}">'
const KEY_PROMPT = '<Say language="{{language|xml}}">{{keyPrompt|xml}}</Say>'
const SAYS_CODE = `<Response>${PAUSE}${SAY}${PAUSE}${SAY}</Response>`

const MACHINE = '^(machine|fax)'

export const twilioVoice: DescriptionFile = {
  type: 'twilio-voice',
  title: 'Twilio Voice',
  documentation: 'https://www.twilio.com/docs/voice/api/call-resource',
  channels: ['voice'],
  fields: {
    accountSid: twilio.fields.accountSid ?? { title: '' },
    authToken: twilio.fields.authToken ?? { title: '' },
    from: {
      title: 'Caller',
      help: 'A number of the account that can make calls, in E.164.',
      pattern: '^\\+[1-9]\\d{6,14}$',
      says: 'must be a number in E.164',
    },
    pressKey: PRESS_KEY,
    apiBase: { title: 'API base', url: true, default: 'https://api.twilio.com' },
  },
  auth: { type: 'basic', user: '{{accountSid}}', password: '{{authToken}}' },
  languages: VOICES,
  phrases: PHRASES,
  keyPrompts: KEY_PROMPTS,
  send: {
    voice: {
      needs: [{ value: '{{answerUrl}}', code: 'NO_PUBLIC_URL' }],
      request: {
        path: '/2010-04-01/Accounts/{{accountSid}}/Calls.json',
        form: {
          To: '{{to}}',
          From: '{{from}}',
          Url: '{{answerUrl}}',
          Timeout: '30',
          TimeLimit: '60',
          // Twilio says who answered when it fetches what to say, and in its report.
          MachineDetection: 'Enable',
          StatusCallback: '{{reportUrl}}',
        },
      },
      id: 'sid',
      idPattern: '^CA[0-9a-fA-F]{32}$',
      codePath: 'code',
    },
  },
  codePattern: '^[1-9]\\d{2,4}$',
  result: {
    status: 'CallStatus',
    delivered: ['completed'],
    failed: ['busy', 'failed', 'no-answer', 'canceled'],
    failedCode: '{{status|upper}}',
  },
  reports: {
    isForm: true,
    ...(twilio.reports?.signature !== undefined && { signature: twilio.reports.signature }),
    kinds: [
      {
        api: 'voice',
        if: [{ path: 'AnsweredBy', matches: MACHINE }],
        id: 'CallSid',
        result: { status: 'AnsweredBy', failed: { matches: MACHINE }, failedCode: 'ANSWERING_MACHINE' },
      },
      { api: 'voice', id: 'CallSid' },
    ],
  },
  calls: {
    contentType: 'text/xml',
    documents: [
      { if: [{ path: 'AnsweredBy', matches: MACHINE }], document: '<Response><Hangup/></Response>' },
      { if: [{ path: 'Digits', matches: '.' }], document: SAYS_CODE },
      {
        when: [{ value: '{{pressKey}}' }],
        document: `<Response>${PAUSE}${GATHER}${KEY_PROMPT}${PAUSE}${KEY_PROMPT}</Gather><Hangup/></Response>`,
      },
      { document: SAYS_CODE },
    ],
  },
  // twilio.com/docs/api/errors
  codes: {
    NO_PUBLIC_URL: ['elsewhere', 'Twilio fetches what a call says from this server; set WATCHWORD_PUBLIC_URL'],
    '10001': ['unfit', 'the Twilio account is not active; check its balance and its standing'],
    '10002': ['elsewhere', 'a Twilio trial account cannot do this; upgrade the account'],
    '10003': ['unfit', 'the Twilio account is not active; check its balance and its standing'],
    '10004': ['later', 'more calls at a time than the Twilio account may make'],
    '13223': ['never', 'the number is not valid'],
    '13224': ['never', 'the number is not valid'],
    '13225': ['never', 'Twilio makes no calls to this number'],
    '13227': ['elsewhere', 'calls to this country are not enabled; see the voice geo permissions'],
    '20003': ['unfit', 'Twilio refused our credentials; check account SID and auth token'],
    '20005': ['unfit', 'the Twilio account is not active; check its balance and its standing'],
    '20008': ['unfit', 'test credentials of Twilio cannot do this; configure the live ones'],
    '20404': ['unfit', 'Twilio knows no such account; check account SID and API base'],
    '20429': ['later', 'Twilio asks for fewer calls at a time'],
    '20500': ['ambiguous', 'Twilio failed while it had the call; it may be made'],
    '20503': ['ambiguous', 'Twilio failed while it had the call; it may be made'],
    '21201': ['never', 'the call has no recipient'],
    '21205': ['elsewhere', 'Twilio cannot call PUBLIC_URL'],
    '21210': ['elsewhere', 'the caller is no verified number of the Twilio account'],
    '21211': ['never', 'the number is not valid'],
    '21212': ['elsewhere', 'the caller is not valid at Twilio; check `from`'],
    '21213': ['elsewhere', 'the caller is missing; set `from`'],
    '21214': ['never', 'Twilio cannot reach the number by a call'],
    '21215': ['elsewhere', 'calls to this country are not enabled; see the voice geo permissions'],
    '21216': ['elsewhere', 'the Twilio account may not call this number'],
    '21217': ['never', 'the number is not valid'],
    '21219': ['elsewhere', 'a Twilio trial account calls only verified numbers; upgrade the account'],
    '21609': ['elsewhere', 'Twilio cannot call our report URL; check PUBLIC_URL'],
  },
  reasons: {
    ANSWERING_MACHINE: 'an answering machine took the call',
    BUSY: 'the line was busy',
    'NO-ANSWER': 'nobody answered',
    FAILED: 'the call could not be made; the number may not exist',
    CANCELED: 'the call was canceled at Twilio',
  },
  explanations: [['^[1-9]\\d{2,4}$', 'see this code in the error dictionary of Twilio']],
}
