/** Which language the console speaks: chosen here, else the browser's first that it knows. */
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
