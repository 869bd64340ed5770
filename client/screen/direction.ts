/** The direction of texts, which may be another one than the page's: English is shown where a language is missing. */
const FROM_THE_RIGHT: ReadonlySet<string> = new Set(['ar', 'fa', 'he', 'ur'])

export const directionOf = (language: string): 'ltr' | 'rtl' =>
  FROM_THE_RIGHT.has(language.toLowerCase().split(/[-_]/)[0] ?? '') ? 'rtl' : 'ltr'
