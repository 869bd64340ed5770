/** The words of a call by language, with the digits one by one. A language is in all tables or in none. */

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

const NORWEGIAN_PROMPT = 'Trykk på en tast for å høre koden din.'
const ENGLISH_PROMPT = 'Press any key to hear your code.'

export const KEY_PROMPTS: Readonly<Record<string, string>> = {
  da: 'Tryk på en tast for at høre din kode.',
  de: 'Drücken Sie eine beliebige Taste, um Ihren Code zu hören.',
  en: ENGLISH_PROMPT,
  es: 'Pulse cualquier tecla para escuchar su código.',
  fr: "Appuyez sur n'importe quelle touche pour entendre votre code.",
  it: 'Prema un tasto qualsiasi per ascoltare il suo codice.',
  ja: '認証コードをお聞きになるには、いずれかのキーを押してください。',
  ko: '인증번호를 들으시려면 아무 번호나 눌러 주세요.',
  nl: 'Druk op een willekeurige toets om uw code te horen.',
  no: NORWEGIAN_PROMPT,
  nb: NORWEGIAN_PROMPT,
  pl: 'Naciśnij dowolny klawisz, aby usłyszeć swój kod.',
  pt: 'Pressione qualquer tecla para ouvir o seu código.',
  sv: 'Tryck på valfri knapp för att höra din kod.',
  zh: '请按任意键收听您的验证码。',
  'zh-TW': '請按任意鍵收聽您的驗證碼。',
  'zh-Hant': '請按任意鍵收聽您的驗證碼。',
  '*': ENGLISH_PROMPT,
}

export const PRESS_KEY = {
  title: 'Press a key',
  help: 'yes: the code is spoken only after a key was pressed.',
  optional: true,
  pattern: '^yes$',
  says: 'must be yes, or left out',
}
