/** The words of a call by language, with the digits one by one. A language is in both tables or in none. */

/** BCP 47 tags, as voices are named by them. */
export const VOICES: Readonly<Record<string, string>> = {
  da: 'da-DK',
  de: 'de-DE',
  en: 'en-US',
  'en-GB': 'en-GB',
  es: 'es-ES',
  fr: 'fr-FR',
  it: 'it-IT',
  ja: 'ja-JP',
  ko: 'ko-KR',
  nl: 'nl-NL',
  no: 'nb-NO',
  nb: 'nb-NO',
  pl: 'pl-PL',
  pt: 'pt-BR',
  'pt-PT': 'pt-PT',
  sv: 'sv-SE',
  zh: 'zh-CN',
  'zh-TW': 'zh-TW',
  'zh-Hant': 'zh-TW',
  '*': 'en-US',
}

const NORWEGIAN = 'Koden din er {{code|spoken}}.'
const ENGLISH = 'Your code is {{code|spoken}}.'
const PORTUGUESE = 'O seu código é {{code|spoken}}.'

export const PHRASES: Readonly<Record<string, string>> = {
  da: 'Din kode er {{code|spoken}}.',
  de: 'Ihr Code lautet {{code|spoken}}.',
  en: ENGLISH,
  es: 'Su código es {{code|spoken}}.',
  fr: 'Votre code est {{code|spoken}}.',
  it: 'Il suo codice è {{code|spoken}}.',
  ja: '認証コードは、{{code|spoken}}、です。',
  ko: '인증번호는 {{code|spoken}} 입니다.',
  nl: 'Uw code is {{code|spoken}}.',
  no: NORWEGIAN,
  nb: NORWEGIAN,
  pl: 'Twój kod to {{code|spoken}}.',
  pt: PORTUGUESE,
  sv: 'Din kod är {{code|spoken}}.',
  zh: '您的验证码是 {{code|spoken}}。',
  'zh-TW': '您的驗證碼是 {{code|spoken}}。',
  'zh-Hant': '您的驗證碼是 {{code|spoken}}。',
  '*': ENGLISH,
}
