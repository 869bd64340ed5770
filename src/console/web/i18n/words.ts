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
import { type Language, language, useLanguage } from './language'

/** A word, or a sentence made with what it is about. */
// biome-ignore lint/suspicious/noExplicitAny: a sentence may be made of anything
export type Sentences = { readonly [name: string]: string | ((...about: any[]) => string) | Sentences }

export type Words<T> = Readonly<Record<Language, T>>

export const inWords = <T extends Sentences>(
  words: { en: T } & Record<Exclude<Language, 'en'>, NoInfer<T>>,
): Words<T> => words

export const useWords = <T>(words: Words<T>): T => words[useLanguage()]

/** Outside components. */
export const wordsNow = <T>(words: Words<T>): T => words[language()]
