/**
 * SOLAPI, a Korean carrier: SMS, LMS and AlimTalk through one API. The fallback from AlimTalk to SMS is ours, so its own is
 * always off. Its webhook shows a fixed secret and proves little: what it says is asked for before it counts.
 */
import type { DescriptionFile } from '../description'
import { PHRASES } from './spoken-codes'

const message = {
  to: '{{to|national:82}}',
  country: '{{to|country}}',
  from: '{{from|korean}}',
  customFields: { messageId: '{{messageId}}' },
}

const answer = {
  accepted: [{ path: 'statusCode', matches: '^(4000|3000|2\\d{3})$' }],
  id: 'messageId',
  codePath: ['errorCode', 'statusCode'],
  // An error before the message was taken. Any other code says so only with an HTTP status that does.
  unlisted: [{ code: '^1\\d{3}$', means: 'elsewhere' as const }],
}

const query = {
  request: { method: 'GET' as const, path: '/messages/v4/list?messageId={{id}}' },
  items: 'messageList.*',
  idPath: 'messageId',
}

export const solapi: DescriptionFile = {
  type: 'solapi',
  title: 'SOLAPI',
  documentation: 'https://developers.solapi.com',
  channels: ['sms', 'alimtalk', 'voice'],
  fields: {
    apiKey: { title: 'API key', pattern: '^[0-9A-Za-z]+$', says: 'must be the API key of the account' },
    apiSecret: { title: 'API secret', secret: true },
    from: {
      title: 'Sender',
      help: 'A number that is registered with SOLAPI as a sender.',
      pattern: '^\\+?[0-9-]{8,16}$',
      says: 'must be a phone number',
    },
    pfId: { title: 'Kakao channel (pfId)', help: 'AlimTalk only.', optional: true },
    apiBase: { title: 'API base', url: true, default: 'https://api.solapi.com' },
  },
  // A signature can be used once, within 15 minutes of its date; the salt makes it differ within one millisecond.
  auth: {
    type: 'hmac',
    secret: '{{apiSecret}}',
    signed: '{{isoDate}}{{salt}}',
    header: 'authorization',
    value: 'HMAC-SHA256 apiKey={{apiKey}}, date={{isoDate}}, salt={{salt}}, signature={{signature}}',
  },
  phrases: { '*': PHRASES.ko ?? '' },
  send: {
    sms: {
      needs: [{ value: '{{to|country}}', code: 'NOT_E164' }],
      request: {
        path: '/messages/v4/send',
        json: { message: { ...message, text: '{{text}}', type: '{{messageType|or:SMS}}' } },
      },
      ...answer,
      query: { ...query, firstAfterSec: 30 },
    },
    alimtalk: {
      needs: [
        { value: '{{to|country}}', code: 'NOT_E164' },
        { value: '{{pfId}}', code: 'NO_PF_ID' },
      ],
      request: {
        path: '/messages/v4/send',
        // No text: Kakao's registered template is filled in; a text of ours that differs by a space would be refused.
        json: {
          message: {
            ...message,
            type: 'ATA',
            kakaoOptions: {
              pfId: '{{pfId}}',
              templateId: '{{templateCode}}',
              variables: '{{variables|kakao}}',
              disableSms: true,
            },
          },
        },
      },
      ...answer,
      // An AlimTalk is settled within seconds, and a fallback waits for that; nothing waits for the report of an SMS.
      query: { ...query, firstAfterSec: 5 },
    },
    voice: {
      needs: [{ value: '{{to|country|only:^82$}}', code: 'NOT_KOREAN' }],
      request: {
        path: '/messages/v4/send',
        json: {
          message: {
            ...message,
            type: 'VOICE',
            text: '{{phrase}} {{phrase}}',
            // With a header the text is said only once a key was pressed, so to no answering machine.
            voiceOptions: { voiceType: 'FEMALE', headerMessage: '인증번호를 들으시려면 아무 번호나 눌러 주세요.' },
          },
        },
      },
      ...answer,
      query: { ...query, firstAfterSec: 30 },
    },
  },
  // Values other than four digits or the name of an error may quote the message, and are dropped.
  codePattern: '^(\\d{4}|[A-Z][A-Za-z]{2,39})$',
  result: {
    status: 'statusCode',
    code: 'statusCode',
    delivered: ['4000'],
    failed: { matches: '^[13]\\d{3}$' },
    open: ['3000'],
    failsByCode: true,
  },
  reports: {
    secretHeader: { name: 'x-solapi-secret', orHashed: 'sha1' },
    ownId: 'customFields.messageId',
    kinds: [{ api: 'sms', id: 'messageId' }],
    mustAsk: true,
  },
  // docs.solapi.com/api-reference/message-status-codes: 1xxx not taken, 2xxx platform, 3xxx carrier or Kakao.
  codes: {
    NOT_E164: ['never', 'the recipient is no valid number'],
    NOT_KOREAN: ['elsewhere', 'SOLAPI calls Korean numbers only'],
    NO_PF_ID: ['elsewhere', 'AlimTalk needs the Kakao channel: add pfId to the configuration'],
    '1010': ['elsewhere', 'a required field was missing in our request'],
    '1011': ['elsewhere', 'a field of our request had the wrong format'],
    '1013': ['elsewhere', 'an SMS cannot have a subject'],
    '1014': ['elsewhere', 'the subject is longer than 40 bytes'],
    '1020': ['unfit', 'SOLAPI does not know the account, or the API key or secret is wrong'],
    '1021': ['elsewhere', 'SOLAPI has no such message'],
    '1022': ['elsewhere', 'SOLAPI has no such message group'],
    '1023': ['elsewhere', 'SOLAPI has no such image'],
    '1024': ['later', 'SOLAPI had a server error before it took the message'],
    '1025': ['elsewhere', 'SOLAPI does not know the message type'],
    '1026': ['never', 'SOLAPI takes the recipient for a duplicate'],
    '1027': ['elsewhere', 'the text was not UTF-8'],
    '1028': ['elsewhere', 'the text has characters that cannot be printed'],
    '1029': ['elsewhere', 'the text has characters outside of EUC-KR'],
    '1030': ['unfit', 'the SOLAPI account has no balance left'],
    '1031': ['elsewhere', 'the text is too long: 90 bytes as SMS, 2000 as LMS, 1000 characters as AlimTalk'],
    '1032': ['elsewhere', 'SOLAPI refused the custom fields of our request'],
    '1033': ['elsewhere', 'Kakao options were sent with a message that is no AlimTalk'],
    '1034': ['elsewhere', 'the image does not exist at SOLAPI'],
    '1041': ['elsewhere', 'the Kakao channel (pfId) is not valid'],
    '1042': ['elsewhere', 'the AlimTalk template code is not valid'],
    '1043': ['elsewhere', 'the message differs from the registered AlimTalk template; check its variables'],
    '1044': ['elsewhere', 'a button of the AlimTalk template is not valid'],
    '1045': ['elsewhere', 'a button URL of the AlimTalk template is not valid'],
    '1046': ['elsewhere', 'the AlimTalk template has buttons; use one without'],
    '1047': ['elsewhere', 'the AlimTalk template has no buttons, yet some were sent'],
    '1048': ['elsewhere', 'a button URL of the AlimTalk template is too long'],
    '1049': ['elsewhere', 'a button name of the AlimTalk template is too long'],
    '1050': ['elsewhere', 'the AlimTalk template has more than five buttons'],
    '1051': ['elsewhere', 'the Kakao image is not registered'],
    '1052': ['elsewhere', 'the buttons are not in the order of the AlimTalk template'],
    '1053': ['elsewhere', 'the button type is not allowed here'],
    '1058': ['elsewhere', 'SOLAPI has no route to this number'],
    '1060': ['never', 'the recipient is blocked at SOLAPI'],
    '1061': ['stopped', 'the recipient has opted out of messages (080 service); if they agree, remove that opt-out'],
    '1062': ['elsewhere', 'sender number not registered with SOLAPI'],
    '1064': ['unfit', 'sending is blocked after a report to KISA; contact SOLAPI'],
    '2011': ['elsewhere', 'SOLAPI found a field of the message malformed'],
    '2024': ['ambiguous', 'SOLAPI had a server error after it took the message; it may be out'],
    '2060': ['never', 'the recipient is blocked at SOLAPI'],
    '2061': ['stopped', 'the recipient has opted out of messages (080 service); if they agree, remove that opt-out'],
    '2062': ['elsewhere', 'sender number not registered with SOLAPI'],
    '2063': ['unfit', 'the SOLAPI account is blocked'],
    '2064': ['unfit', 'sending is blocked after a report to KISA; contact SOLAPI'],
    '2230': ['unfit', 'the SOLAPI account has no balance left'],
    '2254': ['never', 'SOLAPI takes the message for spam'],
    '3010': ['never', 'the recipient is no valid number'],
    '3011': ['elsewhere', 'the carrier found the message malformed'],
    '3012': ['later', 'the carrier had a server error'],
    '3013': ['elsewhere', 'the sender number has a format the carriers forbid'],
    '3014': ['ambiguous', 'the carrier does not know what became of the message'],
    '3024': ['later', 'the carrier had a server error'],
    '3031': ['elsewhere', 'the carrier cannot send the message'],
    '3032': ['never', 'nobody has this number'],
    '3040': ['later', 'the carrier could not deliver the message in time'],
    '3041': ['later', 'the phone was busy'],
    '3042': ['later', 'the phone was out of coverage'],
    '3043': ['later', 'the phone was off'],
    '3044': ['later', 'the phone has no room for messages'],
    '3045': ['never', 'the service of this phone is suspended'],
    '3046': ['later', 'the phone had some other problem'],
    '3047': ['never', 'the phone rejects the message'],
    '3048': ['ambiguous', 'the carrier answered with a code that SOLAPI does not know'],
    '3050': ['never', 'the phone cannot receive SMS'],
    '3051': ['later', 'the phone could not be reached'],
    '3052': ['elsewhere', 'the carrier has deleted the message'],
    '3053': ['later', 'the queue of the carrier is full'],
    '3054': ['never', 'the carrier takes the message for spam'],
    '3055': ['never', 'the recipient is on the do-not-spam list (nospam.or.kr)'],
    '3056': ['later', 'the mobile network could not deliver the message'],
    '3057': ['later', 'the mobile network could not reach the phone'],
    '3058': ['elsewhere', 'the carrier has no route to this number'],
    '3059': ['elsewhere', 'the carriers take the sender number for a forged one; register it'],
    '3060': ['never', 'the recipient failed the adult check of the carrier'],
    '3101': ['elsewhere', 'the Kakao sender profile key is not valid'],
    '3102': ['never', 'the recipient is no friend of the Kakao channel'],
    '3103': ['elsewhere', 'the message differs from the registered AlimTalk template; check its variables'],
    '3104': ['never', 'the recipient does not use KakaoTalk'],
    '3105': ['elsewhere', 'the AlimTalk template is not registered'],
    '3106': ['elsewhere', 'the Kakao channel is not valid'],
    '3107': ['never', 'the recipient blocks AlimTalk, or has not used KakaoTalk for 72 hours'],
    '3108': ['elsewhere', 'Kakao does not deliver this kind of message at this hour'],
    InvalidAPIKey: ['unfit', 'SOLAPI does not know the API key'],
    SignatureDoesNotMatch: ['unfit', 'the API secret is wrong'],
    RequestTimeTooSkewed: ['unfit', 'the clock of this machine is more than 15 minutes off'],
    // A signature is fresh for every call: seen twice means that the network repeated it, and the first one counted.
    DuplicatedSignature: ['ambiguous', 'the request arrived twice; the first one was taken, its answer got lost'],
    ValidationError: ['elsewhere', 'SOLAPI found our request malformed'],
    NotEnoughBalance: ['unfit', 'the SOLAPI account has no balance left'],
    Unauthorized: ['unfit', 'SOLAPI refused our credentials'],
    Forbidden: ['unfit', 'the API key may not send messages, or not from this address'],
    TooManyRequests: ['later', 'SOLAPI asks for fewer messages at a time'],
  },
  explanations: [
    ['^4000$', 'delivered'],
    ['^1\\d{3}$', 'SOLAPI did not take the message, with a code that is not listed'],
    ['^[23]\\d{3}$', 'the message failed on its way, with a code that is not listed'],
    ['^[A-Z][A-Za-z]{2,39}$', 'SOLAPI refused the request with an error that is not listed'],
  ],
}
