/** The languages the element speaks. A page loads the one that it shows, and English, which is there in any case. */
import { en } from '../texts/en'
import type { Texts } from '../texts/texts'

const LANGUAGES: Readonly<Record<string, () => Promise<Texts>>> = {
  de: async () => (await import('../texts/de')).de,
  en: async () => en,
  es: async () => (await import('../texts/es')).es,
  fr: async () => (await import('../texts/fr')).fr,
  ja: async () => (await import('../texts/ja')).ja,
  ko: async () => (await import('../texts/ko')).ko,
  zh: async () => (await import('../texts/zh')).zh,
}

/** The first of these tags that is one of the seven; English otherwise. */
export function languageOf(tags: readonly string[]): string {
  const languages = tags.map((tag) => tag.toLowerCase().split(/[-_]/)[0] ?? '')
  return languages.find((language) => Object.hasOwn(LANGUAGES, language)) ?? 'en'
}

const loaded = new Map<string, Texts>([['en', en]])

/** Where it is there already. */
export const textsIn = (language: string): Texts | undefined => loaded.get(language)

/** English where it cannot be loaded. */
export async function loadTexts(language: string): Promise<Texts> {
  const texts = await LANGUAGES[language]?.().catch(() => en)
  loaded.set(language, texts ?? en)
  return texts ?? en
}
