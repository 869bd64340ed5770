/**
 * Texts of the verification screen in thirty languages. Each is an export of its own, so that a page loads only what it imports.
 *
 * ```ts
 * import { ko, say } from '@watchword/client/texts'
 *
 * const texts = { ...ko, verified: '환영합니다!' }
 * const sentence = state.text && say(texts, state.text)
 * ```
 */
export { ar } from './ar'
export { cs } from './cs'
export { da } from './da'
export { de } from './de'
export { el } from './el'
export { en } from './en'
export { es } from './es'
export { fa } from './fa'
export { fi } from './fi'
export { fr } from './fr'
export { he } from './he'
export { hi } from './hi'
export { hu } from './hu'
export { id } from './id'
export { it } from './it'
export { ja } from './ja'
export { ko } from './ko'
export { nb } from './nb'
export { nl } from './nl'
export { pl } from './pl'
export { pt } from './pt'
export { ro } from './ro'
export { ru } from './ru'
export { sv } from './sv'
export { type Label, minutesOf, say, type Texts } from './texts'
export { th } from './th'
export { tr } from './tr'
export { uk } from './uk'
export { vi } from './vi'
export { zh } from './zh'
export { zhTW } from './zh-tw'
