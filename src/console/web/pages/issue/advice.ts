/** Texts for support to tell a customer, by the outcome of a code. None names a number, a code or a carrier. */

import { CODE } from '../../../../domain/delivery/delivery'
import { isShownReviewed } from '../../../../domain/verification/review-number'
import type { Words } from '../../i18n/words'
import { isReportOver, type Story } from './story'

const en = {
  verified: 'The code was accepted. There is nothing more to do.',
  delivered: 'The code was delivered to your phone. Please enter it before it expires.',
  deliveredTooLate:
    'The code was delivered to your phone, but it has expired. Please ask for a new code and enter it within a few minutes.',
  onTheWay: 'The message is on its way. Please wait a minute. If nothing has come by then, ask for a new code.',
  unknown:
    'The message was sent, but we cannot see whether it arrived. Please look in your messages and blocked messages, then ask for a new code.',
  uncertain: 'We cannot tell whether the message was sent. Please wait a minute, then ask for a new code.',
  expired: 'The code has expired. Please ask for a new code.',
  wrongCodes:
    'A wrong code was entered too often, so this code no longer works. Please ask for a new code and enter the latest one.',
  replaced: 'A newer code was sent after this one. Only the latest code works: please enter that one.',
  ours: 'We could not send the message because of a problem on our side. We are sorry. Please try again later.',
  tooLate: 'The message could not be sent before the code expired. Please ask for a new code.',
  erased: 'The message was not sent, because the data of this phone was deleted on request. Please ask for a new code.',
  badNumber:
    'Messages cannot be delivered to this number. Please check the number, and use a mobile number that is in service.',
  stopped:
    'Your phone or your operator blocks our messages. Please allow them, or ask your operator to, then ask for a new code.',
  absent: 'Your number cannot be reached by this messenger. Please ask for the code by text message.',
  filtered: 'A spam filter of your operator stopped the message. Please try again, or ask your operator to allow it.',
  unreachable:
    'Your phone could not be reached. Please check that it is on, has reception and has room for messages, then ask for a new code.',
  notDelivered:
    'Your operator could not deliver the message. Please check your reception and your blocked senders, then ask for a new code.',
  review: 'No message is sent to this number. Please enter the code that was agreed for it.',
  relayedDelivered: 'The message was delivered to your phone. Please enter the latest code that you received.',
}

export type Advice = keyof typeof en

const ko: Record<Advice, string> = {
  verified: '인증이 완료되었습니다. 더 하실 일은 없습니다.',
  delivered: '인증번호가 휴대폰에 도착했습니다. 유효 시간 안에 입력해 주세요.',
  deliveredTooLate:
    '인증번호가 휴대폰에 도착했지만 유효 시간이 지났습니다. 새 인증번호를 요청해 몇 분 안에 입력해 주세요.',
  onTheWay: '메시지를 보내고 있습니다. 1분 정도 기다리신 뒤에도 오지 않으면 새 인증번호를 요청해 주세요.',
  unknown:
    '메시지를 보냈지만 도착했는지는 확인되지 않습니다. 메시지함과 차단된 메시지함을 확인하신 뒤 새 인증번호를 요청해 주세요.',
  uncertain: '메시지가 발송되었는지 확인되지 않습니다. 1분 정도 기다리신 뒤 새 인증번호를 요청해 주세요.',
  expired: '인증번호의 유효 시간이 지났습니다. 새 인증번호를 요청해 주세요.',
  wrongCodes:
    '잘못된 인증번호가 여러 번 입력되어 이 인증번호는 더 쓸 수 없습니다. 새 인증번호를 요청해 가장 최근 번호를 입력해 주세요.',
  replaced: '그 뒤에 새 인증번호를 보냈습니다. 가장 최근 인증번호만 쓸 수 있으니 그 번호를 입력해 주세요.',
  ours: '저희 쪽 문제로 메시지를 보내지 못했습니다. 불편을 드려 죄송합니다. 잠시 뒤 다시 시도해 주세요.',
  tooLate: '유효 시간 안에 메시지를 보내지 못했습니다. 새 인증번호를 요청해 주세요.',
  erased: '요청에 따라 이 번호의 데이터를 삭제하여 메시지를 보내지 않았습니다. 새 인증번호를 요청해 주세요.',
  badNumber: '이 번호로는 메시지를 보낼 수 없습니다. 번호를 확인하고 사용 중인 휴대폰 번호를 입력해 주세요.',
  stopped:
    '휴대폰이나 통신사에서 저희 메시지를 차단하고 있습니다. 차단을 해제하거나 통신사에 해제를 요청하신 뒤 새 인증번호를 요청해 주세요.',
  absent: '이 메신저로는 메시지를 받으실 수 없습니다. 문자 메시지로 인증번호를 요청해 주세요.',
  filtered: '통신사의 스팸 차단으로 메시지가 전달되지 않았습니다. 다시 시도하거나 통신사에 수신 허용을 요청해 주세요.',
  unreachable:
    '휴대폰에 연결할 수 없었습니다. 전원, 수신 상태, 메시지 저장 공간을 확인하신 뒤 새 인증번호를 요청해 주세요.',
  notDelivered:
    '통신사에서 메시지를 전달하지 못했습니다. 수신 상태와 차단한 번호를 확인하신 뒤 새 인증번호를 요청해 주세요.',
  review: '이 번호로는 메시지를 보내지 않습니다. 미리 정한 인증번호를 입력해 주세요.',
  relayedDelivered: '메시지가 휴대폰에 도착했습니다. 가장 최근에 받은 인증번호를 입력해 주세요.',
}

export const adviceWords: Words<Record<Advice, string>> = { en, ko }

/** Codes of the service itself. */
const OURS: Readonly<Record<string, Advice>> = {
  [CODE.noRoute]: 'ours',
  [CODE.unhealthy]: 'ours',
  [CODE.noLetter]: 'erased',
  [CODE.noLongerActive]: 'tooLate',
  [CODE.expiredUnsent]: 'tooLate',
  [CODE.interrupted]: 'uncertain',
}

/** By the explanation of a carrier's code; the first that matches. */
const CAUSES: ReadonlyArray<[RegExp, Advice]> = [
  [/not on (WhatsApp|Telegram)|KakaoTalk|Kakao channel|AlimTalk|Kakao found/, 'absent'],
  [
    /opted out|\bSTOP\b|do not disturb|do-not-spam|recipient (or|blocks|takes no)|phone (blocks|rejects)|barred|\bbars\b|adult check|recipient is blocked|blacklist|at their age/,
    'stopped',
  ],
  [/spam|filter|discarded the message|stopped the message/, 'filtered'],
  [
    /unreachable|(phone (is|was)|switched) off|coverage|busy|no room|inbox|nobody answered|answering machine|could not be reached|airtime/,
    'unreachable',
  ],
  [
    /(number|phone|recipient)\b.*\b(not valid|no valid|nobody|not exist|invalid|landline|not a mobile|short code|deactivated|inactive|no longer|unknown|suspended|cannot receive|takes no SMS)|no valid number|nobody has this number|service of this phone|cannot reach the number|makes no calls to this number/,
    'badNumber',
  ],
]

/** Why a message was not delivered, as far as the customer can do something about it. */
export function causeOf(code: string | undefined, explanation: string | undefined, wasRefused: boolean): Advice {
  const ours = code === undefined ? undefined : OURS[code]
  const cause = CAUSES.find(([pattern]) => pattern.test(explanation ?? ''))?.[1]
  return ours ?? cause ?? (wasRefused ? 'ours' : 'notDelivered')
}

export function adviceOf(story: Story): Advice {
  const { verificationStatus, deliveryStatus, isAmbiguous, outcomeCode, price, isMessageAlone } = story
  if (isShownReviewed({ price, providerOutcomeCode: outcomeCode })) return 'review'
  if (!isMessageAlone && verificationStatus === 'verified') return 'verified'
  if (!isMessageAlone && verificationStatus === 'max_attempts') return 'wrongCodes'
  if (!isMessageAlone && verificationStatus === 'replaced') return 'replaced'
  const last = story.attempts.at(-1)
  if (deliveryStatus === 'failed') return causeOf(outcomeCode, last?.explanation, last?.outcome === 'refused')
  if (isAmbiguous) return 'uncertain'
  if (deliveryStatus === 'delivered' && isMessageAlone) return 'relayedDelivered'
  const isOver = !isMessageAlone && verificationStatus === 'expired'
  if (deliveryStatus === 'delivered') return isOver ? 'deliveredTooLate' : 'delivered'
  if (isReportOver(story)) return 'unknown'
  return isOver ? 'expired' : 'onTheWay'
}
