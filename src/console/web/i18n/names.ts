/** Names that several pages share: channels, countries, languages and statuses. */
import type { Leg } from '../../../../contract/constants'
import { inWords, type Language } from './words'

export const channelWords = inWords({
  en: {
    sms: 'SMS',
    alimtalk: 'AlimTalk',
    whatsapp: 'WhatsApp',
    telegram: 'Telegram',
    voice: 'Voice call',
  } satisfies Record<Leg, string>,
  ko: { sms: 'SMS', alimtalk: '알림톡', whatsapp: 'WhatsApp', telegram: '텔레그램', voice: '음성 통화' },
})

/** Name of an ISO 3166 code, or the code itself if it is unknown. */
export function countryName(code: string, language: Language, style: 'long' | 'short' = 'long'): string {
  try {
    return new Intl.DisplayNames(language, { type: 'region', style }).of(code) ?? code
  } catch {
    return code
  }
}

export const countryWithCode = (code: string, language: Language): string => `${countryName(code, language)} (${code})`

/** Name of a language tag, or the tag itself if it is unknown. */
export function languageName(tag: string, language: Language): string {
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}

/** Names of the states of an issue, its delivery and its charge. */
export const statusWords = inWords({
  en: {
    labels: { verification: 'Verification', delivery: 'Delivery' },
    verification: {
      issued: 'Waiting for the code',
      verified: 'Verified',
      expired: 'Expired',
      max_attempts: 'Too many wrong codes',
      replaced: 'Replaced by a newer code',
    },
    delivery: { queued: 'Queued', sent: 'Sent', delivered: 'Delivered', failed: 'Not delivered' },
    ambiguous: 'Unknown whether sent',
    /** A code of another platform, which is verified there. */
    relay: 'Relay',
    billing: {
      reserved: 'Reserved',
      debit_pending: 'Being charged',
      debited: 'Charged',
      release_pending: 'Being released',
      released: 'Not charged',
    },
    channels: channelWords.en,
    hooks: { pending: 'Pending', delivered: 'Delivered', failed: 'Failed' },
  },
  ko: {
    labels: { verification: '인증 상태', delivery: '전달 상태' },
    verification: {
      issued: '입력 대기',
      verified: '인증 완료',
      expired: '만료',
      max_attempts: '시도 횟수 초과',
      replaced: '새 인증번호로 대체',
    },
    delivery: { queued: '대기', sent: '발송', delivered: '도달', failed: '미도달' },
    ambiguous: '발송 여부 불명',
    relay: '릴레이',
    billing: {
      reserved: '예약',
      debit_pending: '차감 중',
      debited: '차감 완료',
      release_pending: '해제 중',
      released: '차감 없음',
    },
    channels: channelWords.ko,
    hooks: { pending: '대기', delivered: '전달', failed: '실패' },
  },
})
