/**
 * Texts of the verification screen in seven languages. Each is an export of its own, so that a page loads only what it imports.
 *
 * ```ts
 * import { ko, say } from '@watchword/client/texts'
 *
 * const texts = { ...ko, verified: '환영합니다!' }
 * const sentence = state.text && say(texts, state.text)
 * ```
 */
export { de } from './de'
export { en } from './en'
export { es } from './es'
export { fr } from './fr'
export { ja } from './ja'
export { ko } from './ko'
export { type Label, minutesOf, say, type Texts } from './texts'
export { zh } from './zh'
