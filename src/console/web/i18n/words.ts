/**
 * The words of a page, in every language, beside the page:
 *
 *     const words = inWords({
 *       en: { title: 'Keys', count: (n: number) => `${n} keys` },
 *       ko: { title: '키', count: (n) => `키 ${n}개` },
 *     })
 *     const say = useWords(words)
 *     say.title, say.count(3)
 *
 * English gives the shape. A word that another language lacks, or has too many, is a type error.
 */
import { useSyncExternalStore } from 'react'
import { kept } from '../kept'

export const LANGUAGES = { en: 'English', ko: '한국어' } as const
export type Language = keyof typeof LANGUAGES

const isLanguage = (name: string | undefined): name is Language => name !== undefined && name in LANGUAGES

function fromBrowser(): Language {
  return navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en'
}

const choice = kept('language')
const chosen = choice.get()
let current: Language = isLanguage(chosen) ? chosen : fromBrowser()
const listeners = new Set<() => void>()

/** The current language: the chosen one, or the first supported language of the browser. */
export const language = (): Language => current

export function setLanguage(next: Language): void {
  current = next
  choice.set(next)
  document.documentElement.lang = next
  for (const listener of listeners) listener()
}

document.documentElement.lang = current

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useLanguage = (): Language => useSyncExternalStore(subscribe, language)

/** A text, or a function that builds one. */
// biome-ignore lint/suspicious/noExplicitAny: a sentence may be made of anything
type Sentences = { readonly [name: string]: string | ((...about: any[]) => string) | Sentences }

export type Words<T> = Readonly<Record<Language, T>>

export const inWords = <T extends Sentences>(
  words: { en: T } & Record<Exclude<Language, 'en'>, NoInfer<T>>,
): Words<T> => words

export const useWords = <T>(words: Words<T>): T => words[useLanguage()]

/** For use outside components. */
export const wordsNow = <T>(words: Words<T>): T => words[language()]
