/** Languages of the element. A page loads the one that it shows, beside English. */
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

/** Language of the first supported tag; English otherwise. */
export function languageOf(tags: readonly string[]): string {
  const languages = tags.map((tag) => tag.toLowerCase().split(/[-_]/)[0] ?? '')
  return languages.find((language) => Object.hasOwn(LANGUAGES, language)) ?? 'en'
}

const loaded = new Map<string, Texts>([['en', en]])

/** The texts of a language that is loaded already. */
export const textsIn = (language: string): Texts | undefined => loaded.get(language)

/** Loads the texts of a language; English where that fails. */
export async function loadTexts(language: string): Promise<Texts> {
  const texts = await LANGUAGES[language]?.().catch(() => en)
  loaded.set(language, texts ?? en)
  return texts ?? en
}
