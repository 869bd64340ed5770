/**
 * Aligo, a Korean carrier with two APIs: SMS and LMS on one host, AlimTalk on another. It calls nobody back; what became of a
 * message is asked for. The fallback from AlimTalk to SMS is ours, so its own is always off.
 */
import type { DescriptionFile } from '../description'

const koreanOnly = { value: '{{to}}', matches: '^\\+82[1-9]\\d{7,9}$', code: 'NOT_KOREAN' }

/** Aligo tells within seconds whether Kakao took an AlimTalk, and a fallback waits for that. */
const asked: { firstAfterSec: number; everySec: Array<[number | null, number]> } = {
  firstAfterSec: 5,
  everySec: [
    [60, 5],
    [600, 30],
    [null, 600],
  ],
}

export const aligo: DescriptionFile = {
  type: 'aligo',
  title: 'Aligo',
  documentation: 'https://smartsms.aligo.in/admin/api/spec.html',
  channels: ['sms', 'alimtalk'],
  fields: {
    apiKey: { title: 'API key', secret: true },
    userId: { title: 'User id' },
    senderKey: { title: 'Sender key of the Kakao channel', help: 'AlimTalk only.', secret: true, optional: true },
    from: {
      title: 'Sender',
      help: 'A number that is registered with Aligo as a sender.',
      pattern: '^\\+?[0-9-]{8,16}$',
      says: 'must be a Korean phone number',
    },
    apiBase: { title: 'API base', url: true, default: 'https://apis.aligo.in' },
    kakaoApiBase: { title: 'API base of AlimTalk', url: true, default: 'https://kakaoapi.aligo.in' },
  },
  send: {
    sms: {
      needs: [koreanOnly],
      request: {
        path: '/send/',
        form: {
          key: '{{apiKey}}',
          user_id: '{{userId}}',
          sender: '{{from|korean}}',
          receiver: '{{to|korean}}',
          msg: '{{text}}',
          msg_type: '{{messageType|or:SMS}}',
        },
      },
      accepted: [{ path: 'result_code', is: '1' }],
      // The request was fine, but its one recipient was turned down.
      refusedIf: [
        {
          all: [
            { path: 'success_cnt', is: '0' },
            { path: 'error_cnt', is: '1' },
          ],
          code: 'RECIPIENT_REFUSED',
        },
      ],
      id: 'sms:{{msg_id}}',
      idPattern: '^sms:(?<mid>\\d{1,20})$',
      codePath: 'result_code',
      noCode: ['1'],
      codePrefix: 'sms:',
      // Aligo documents any negative code as a rejection, and explains it in Korean prose only.
      unlisted: [{ code: '^-', means: 'elsewhere', only2xx: true }],
      query: {
        request: { path: '/sms_list/', form: { key: '{{apiKey}}', user_id: '{{userId}}', mid: '{{id.mid}}' } },
        if: [{ path: 'result_code', is: '1' }],
        items: 'list',
        // Prose; what is none of these words is still on its way.
        result: {
          status: 'sms_state',
          delivered: ['성공', '발송성공', '전송성공', '발송완료', '전송완료'],
          failed: { matches: '실패|거부|없음|불가|결번|초과|만료|취소|오류|에러|제한|차단|전원꺼짐|통신장애|반송' },
          failedCode: 'sms:FAILED',
        },
        ...asked,
      },
    },
    at: {
      channel: 'alimtalk',
      needs: [
        koreanOnly,
        { value: '{{senderKey}}', code: 'NO_SENDER_KEY_OR_TEMPLATE' },
        { value: '{{templateCode}}', code: 'NO_SENDER_KEY_OR_TEMPLATE' },
      ],
      request: {
        base: 'kakaoApiBase',
        path: '/akv10/alimtalk/send/',
        form: {
          apikey: '{{apiKey}}',
          userid: '{{userId}}',
          senderkey: '{{senderKey}}',
          tpl_code: '{{templateCode}}',
          sender: '{{from|korean}}',
          receiver_1: '{{to|korean}}',
          // Aligo wants one; the recipient does not see it.
          subject_1: '인증번호',
          message_1: '{{text}}',
          failover: 'N',
        },
      },
      accepted: [{ path: 'code', is: '0' }],
      refusedIf: [
        {
          all: [
            { path: 'info.scnt', is: '0' },
            { path: 'info.fcnt', is: '1' },
          ],
          code: 'RECIPIENT_REFUSED',
        },
      ],
      id: 'at:{{info.mid}}',
      idPattern: '^at:(?<mid>\\d{1,20})$',
      codePath: 'code',
      noCode: ['0'],
      codePrefix: 'at:',
      unlisted: [{ code: '^-?\\d', means: 'elsewhere', only2xx: true }],
      query: {
        request: {
          base: 'kakaoApiBase',
          path: '/akv10/history/detail/',
          form: { apikey: '{{apiKey}}', userid: '{{userId}}', mid: '{{id.mid}}' },
        },
        if: [{ path: 'code', is: '0' }],
        items: 'list',
        // Unlisted results, and those for an unknown outcome (5, 6, o), decide nothing.
        result: {
          status: 'rslt',
          delivered: ['0'],
          failed: ['1', '2', '8', '9', ...'abcdefkpqtABCDEFGHIJLMUV'],
          failedCode: 'rslt:{{status}}',
        },
        ...asked,
      },
    },
  },
  codePattern: '^-?\\d{1,5}$',
  unreadable: '',
  codes: {
    NOT_KOREAN: ['elsewhere', 'Aligo sends to Korean numbers only; add a provider for other countries'],
    NO_SENDER_KEY_OR_TEMPLATE: ['elsewhere', 'AlimTalk needs `senderKey` of the Kakao channel and a template code'],
    HTTP_401: ['unfit', 'Aligo refused our credentials, or our IP is not registered there'],
    HTTP_403: ['elsewhere', 'Aligo refused our credentials, or our IP is not registered there'],
    // `result_code` of /send/. Aligo publishes -101 and -201; of the others, what its customers have seen.
    'sms:-101': ['unfit', 'Aligo refused our credentials; check API key, user id, and that our IP is registered there'],
    'sms:-102': ['elsewhere', 'Aligo refused a setting; check that the sender number is registered there'],
    'sms:-103': ['elsewhere', 'Aligo refused a setting; check sender number and text'],
    'sms:-104': ['unfit', 'Aligo refused our credentials; check API key and user id'],
    'sms:-105': ['elsewhere', 'the sender number is not registered with Aligo'],
    'sms:-201': ['unfit', 'the account at Aligo has no messages left; recharge it'],
    'sms:-301': [
      'elsewhere',
      'Aligo refused the request; check that our IP and the sender number are registered there',
    ],
    'sms:-302': ['elsewhere', 'the sender number is not registered with Aligo'],
    'sms:-401': ['elsewhere', 'Aligo refused the request as a repetition'],
    'sms:-501': ['ambiguous', 'Aligo failed while it had the message; it may be out'],
    'sms:-804': ['elsewhere', 'Aligo took the request for a cancellation; check the API base'],
    'sms:RECIPIENT_REFUSED': ['elsewhere', 'Aligo turned the recipient down; the number may be wrong or blocked'],
    // `code` of /akv10/alimtalk/send/. -99 is for whatever is wrong with account or request.
    'at:-99': [
      'elsewhere',
      'Aligo refused the request; check balance, API key, user id, and that our IP is registered there',
    ],
    'at:-101': ['unfit', 'Aligo refused our credentials; check API key, user id, and that our IP is registered there'],
    'at:-102': ['unfit', 'Aligo refused our credentials; check the user id'],
    'at:-103': ['elsewhere', 'Aligo does not know the sender key; check the Kakao channel'],
    'at:-104': ['elsewhere', 'Aligo does not know the template; check its code and that Kakao has approved it'],
    'at:-105': ['elsewhere', 'the sender number is not registered with Aligo'],
    'at:-201': ['unfit', 'the account at Aligo has no messages left; recharge it'],
    'at:-301': ['elsewhere', 'Aligo refused the number'],
    'at:501': ['unfit', 'Aligo refused our credentials; check API key and user id'],
    'at:509': ['elsewhere', 'Aligo refused the Kakao channel or the template in its present state'],
    'at:510': ['elsewhere', 'the template is not approved by Kakao'],
    'at:520': ['elsewhere', 'the Kakao channel is blocked or deleted'],
    'at:RECIPIENT_REFUSED': ['elsewhere', 'Aligo turned the recipient down; the number may be wrong or blocked'],
  },
  // `rslt` of an AlimTalk that failed.
  reasons: {
    'sms:FAILED': 'the carrier could not deliver the message; the delivery list of Aligo says why',
    'rslt:1': 'the sender key is not valid; check the Kakao channel',
    'rslt:2': 'the phone is not connected to KakaoTalk',
    'rslt:8': 'Kakao cannot deliver to this user now',
    'rslt:9': 'the recipient has not used KakaoTalk lately',
    'rslt:a': 'the account at Aligo has no messages left; recharge it',
    'rslt:b': 'the account at Aligo may not send this',
    'rslt:c': 'Kakao took the message for a repetition',
    'rslt:d': 'Kakao took the number for a repetition',
    'rslt:e': 'the carrier failed inside',
    'rslt:f': 'the message has a wrong format; compare it with the template',
    'rslt:k': 'the message does not exist at Kakao',
    'rslt:p': 'the message was blocked as a repetition',
    'rslt:q': 'the message was blocked as a repetition',
    'rslt:t': 'the message has no text',
    'rslt:A': 'the recipient does not use KakaoTalk',
    'rslt:B': 'the recipient has blocked AlimTalk',
    'rslt:C': 'Kakao took the message for a repetition',
    'rslt:D': 'Kakao blocked a second message within five seconds',
    'rslt:E': 'the KakaoTalk of the recipient is too old',
    'rslt:F': 'Kakao gave no reason',
    'rslt:G': 'Kakao could not send',
    'rslt:H': 'Kakao failed inside',
    'rslt:I': 'the number is not valid',
    'rslt:J': 'the number is a 050 relay number, which gets no AlimTalk',
    'rslt:L': 'the text is too long for an AlimTalk',
    'rslt:M': 'Kakao does not know the template; check its code',
    'rslt:U': 'the text does not match the approved template',
    'rslt:V': 'Kakao could not compare the text with the template',
  },
  explanations: [
    ['^(sms|at):-?\\d{1,5}$', 'Aligo refused the message with a code it does not publish; see its sending history'],
  ],
}
