/** Languages of the element. A page loads the one that it shows. */
import type { Texts } from '../texts/texts'

const english = async () => (await import('../texts/en')).en

const LANGUAGES: Readonly<Record<string, () => Promise<Texts>>> = {
  ar: async () => (await import('../texts/ar')).ar,
  cs: async () => (await import('../texts/cs')).cs,
  da: async () => (await import('../texts/da')).da,
  de: async () => (await import('../texts/de')).de,
  el: async () => (await import('../texts/el')).el,
  en: english,
  es: async () => (await import('../texts/es')).es,
  fa: async () => (await import('../texts/fa')).fa,
  fi: async () => (await import('../texts/fi')).fi,
  fr: async () => (await import('../texts/fr')).fr,
  he: async () => (await import('../texts/he')).he,
  hi: async () => (await import('../texts/hi')).hi,
  hu: async () => (await import('../texts/hu')).hu,
  id: async () => (await import('../texts/id')).id,
  it: async () => (await import('../texts/it')).it,
  ja: async () => (await import('../texts/ja')).ja,
  ko: async () => (await import('../texts/ko')).ko,
  nb: async () => (await import('../texts/nb')).nb,
  nl: async () => (await import('../texts/nl')).nl,
  pl: async () => (await import('../texts/pl')).pl,
  pt: async () => (await import('../texts/pt')).pt,
  ro: async () => (await import('../texts/ro')).ro,
  ru: async () => (await import('../texts/ru')).ru,
  sv: async () => (await import('../texts/sv')).sv,
  th: async () => (await import('../texts/th')).th,
  tr: async () => (await import('../texts/tr')).tr,
  uk: async () => (await import('../texts/uk')).uk,
  vi: async () => (await import('../texts/vi')).vi,
  zh: async () => (await import('../texts/zh')).zh,
  'zh-TW': async () => (await import('../texts/zh-tw')).zhTW,
}

/** Tags that browsers and operating systems use for one of ours. */
const ALIASES: Readonly<Record<string, string>> = { in: 'id', iw: 'he', nn: 'nb', no: 'nb' }
const TRADITIONAL = /^zh[-_](hant|tw|hk|mo)/i

/** Language of the first supported tag; English otherwise. */
export function languageOf(tags: readonly string[]): string {
  const languages = tags.map((tag) => {
    const language = tag.toLowerCase().split(/[-_]/)[0] ?? ''
    return TRADITIONAL.test(tag) ? 'zh-TW' : (ALIASES[language] ?? language)
  })
  return languages.find((language) => Object.hasOwn(LANGUAGES, language)) ?? 'en'
}

const loaded = new Map<string, Texts>()

/** The texts of a language that is loaded already. */
export const textsIn = (language: string): Texts | undefined => loaded.get(language)

/** Loads the texts of a language. */
export async function loadTexts(language: string): Promise<Texts> {
  const texts = await (LANGUAGES[language] ?? english)()
  loaded.set(language, texts)
  return texts
}
