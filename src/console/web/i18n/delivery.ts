/** Words of delivering that several pages share: channels, and countries and languages by their name. */
import type { Leg } from '../../../../contract/constants'
import type { Language } from './language'
import { inWords } from './words'

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

/** By its ISO 3166 code; the code itself for what is none. */
export function countryName(code: string, language: Language, style: 'long' | 'short' = 'long'): string {
  try {
    return new Intl.DisplayNames(language, { type: 'region', style }).of(code) ?? code
  } catch {
    return code
  }
}

export const countryWithCode = (code: string, language: Language): string => `${countryName(code, language)} (${code})`

/** By its tag; the tag itself for what is none. */
export function languageName(tag: string, language: Language): string {
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}
