/** Message templates and the text made from them. Specification: "Template", `POST /issue` rule 11. */
import { invalid } from '../shared/error'
import type { Channel, MessageType } from '../shared/value'
import { fallbacksOf, languageTag } from './language'
import type { PatternMatch } from './variable-pattern'

export interface TemplateVariable {
  /** Regular expression the whole value must match, in linear time; see `pattern.ts`. */
  pattern?: string
  description?: string
  /** False: may be left out; its placeholder is then empty. */
  required: boolean
}

/** Ids of India's registers of texts (DLT), without which its carriers drop a message. Each text has its own. */
export interface DltIds {
  /** The principal entity: the registered sender. */
  entityId?: string | undefined
  /** The registered text. */
  templateId?: string | undefined
}

/** The text of a template in another language. */
export interface Translation {
  body: string
  /** Code under which Kakao approved the text; without one AlimTalk messages do not use this language. */
  providerTemplateCode?: string | undefined
  /** Without an entity id of its own, that of the template counts. */
  dlt?: DltIds | undefined
}

export interface Template {
  templateId: string
  name: string
  channelSupport: readonly Channel[]
  body: string
  variables: Readonly<Record<string, TemplateVariable>>
  providerTemplateCode: string
  /** The language of `body`; missing: unknown. */
  locale?: string | undefined
  dlt?: DltIds | undefined
  /** Texts in other languages, by tag. */
  bodies?: Readonly<Record<string, Translation>> | undefined
}

/** A saved text of an app's own template. */
export interface TemplateVersion {
  /** From 1. */
  version: number
  /** Unix milliseconds. */
  savedAt: number
  /** The operator, or `cli`. */
  savedBy: string
  template: Template
}

/** Older versions are deleted when a new one is saved. */
export const VERSIONS_KEPT = 50

export const DEFAULT_TEMPLATE_ID = 'otp_default_kr'

export const BUILT_IN_TEMPLATES: readonly Template[] = [
  {
    templateId: DEFAULT_TEMPLATE_ID,
    name: '인증번호 (한국어)',
    channelSupport: ['sms', 'alimtalk'],
    body: '인증번호는 [#{code}]입니다. 타인에게 알려주지 마세요.',
    variables: {},
    providerTemplateCode: DEFAULT_TEMPLATE_ID,
    locale: 'ko',
    // Each is one SMS also with what fills the code in; en, es, de and fr in letters that every carrier has.
    bodies: {
      en: { body: 'Your verification code is #{code}. Do not share it.' },
      ja: { body: '認証コードは #{code} です。誰にも教えないでください。' },
      zh: { body: '您的验证码是 #{code}。请勿告诉他人。' },
      es: { body: 'Tu clave de seguridad es #{code}. No la compartas.' },
      de: { body: 'Ihr Verifizierungscode: #{code}. Bitte nicht weitergeben.' },
      fr: { body: "Code d'authentification : #{code}. Ne le partagez pas." },
    },
  },
  {
    templateId: 'otp_default_en',
    name: 'Verification code (English)',
    channelSupport: ['sms', 'alimtalk'],
    body: 'Your verification code is #{code}. Do not share it with anyone.',
    variables: {},
    providerTemplateCode: 'otp_default_en',
    locale: 'en',
  },
]

export const TEMPLATE_NOTE =
  'Templates are registered by the operator, not through the API. Every body contains #{code}; AlimTalk templates must be approved by Kakao first.'

const PLACEHOLDER = /#\{([^{}]*)\}/g
const VARIABLE_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/
const MAX_VARIABLES = 20

/** Longest SMS, in EUC-KR bytes; longer text goes as LMS. */
export const SMS_MAX_BYTES = 90
const LMS_MAX_BYTES = 2_000

/** EUC-KR writes ASCII in one byte and everything else in two. */
export function eucKrBytes(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at) ?? 0
    // A character beyond the first plane has two UTF-16 units already.
    if (point > 0xffff) at++
    else if (point >= 0x80) bytes++
  }
  return bytes
}

/** The names a body has placeholders for, each once, `code` included. */
export const placeholdersOf = (body: string): string[] => [
  ...new Set([...body.matchAll(PLACEHOLDER)].map((match) => match[1] ?? '')),
]

/** Splits a body at its placeholders: text, name, text, … */
export const partsOf = (body: string): string[] => body.split(PLACEHOLDER)

/** All languages of the template, its own first where known. */
export const localesOf = ({ locale, bodies = {} }: Template): string[] => [
  ...(locale === undefined ? [] : [locale]),
  ...Object.keys(bodies),
]

/** The template in the language of the tag or the closest one, else in its own. */
export const inLanguage = (template: Template, tag: string | undefined): Template =>
  translated(template, tag, () => true)

function translated(
  template: Template,
  tag: string | undefined,
  isUsable: (translation: Translation) => boolean,
): Template {
  if (tag === undefined) return template
  const { locale: own, bodies = {} } = template
  for (const locale of fallbacksOf(tag)) {
    if (locale === own) return template
    const other = Object.hasOwn(bodies, locale) ? bodies[locale] : undefined
    if (other && isUsable(other))
      return {
        ...{ ...template, locale, body: other.body },
        providerTemplateCode: other.providerTemplateCode ?? template.providerTemplateCode,
        dlt: { ...other.dlt, entityId: other.dlt?.entityId ?? template.dlt?.entityId },
      }
  }
  return template
}

/** The same for AlimTalk, among texts with a code of Kakao's approval. */
export const approvedIn = (template: Template, tag: string | undefined): Template =>
  translated(template, tag, ({ providerTemplateCode }) => Boolean(providerTemplateCode))

/**
 * Letters as one character each, as phones, patterns and EUC-KR have them. A Mac writes them in parts, each of which would be counted.
 * A text that is longer than any message is refused, and would take long.
 */
export const composed = (text: string): string => (text.length > LMS_MAX_BYTES ? text : text.normalize('NFC'))

/**
 * Throws `invalid` for a template that cannot make a message. Placeholders and variables must have the same names in
 * each language.
 */
export function assertTemplate(template: Template): void {
  const { locale, bodies = {} } = template
  if (locale !== undefined) assertTag('locale', locale)
  if (Object.keys(bodies).length > MAX_LANGUAGES)
    throw invalid('bodies', 'too_many', `at most ${MAX_LANGUAGES}`, { max: MAX_LANGUAGES })
  assertVariables(template)
  assertBody('body', template)
  assertProviderCode('providerTemplateCode', template.providerTemplateCode)
  assertDlt('dlt', template.dlt)
  for (const [tag, { body, providerTemplateCode, dlt }] of Object.entries(bodies)) {
    const param = `bodies.${tag.slice(0, MAX_TAG)}`
    assertTag(param, tag)
    if (tag === locale) throw invalid(param, 'language_taken', 'the text of the template is in this language')
    assertBody(param, { ...template, body })
    if (providerTemplateCode !== undefined) assertProviderCode(param, providerTemplateCode)
    assertDlt(`${param}.dlt`, dlt)
  }
  if (template.channelSupport.length === 0) throw invalid('channelSupport', 'required', 'at least one channel')
}

const MAX_LANGUAGES = 40
const MAX_TAG = 35

/** Requires the canonical spelling, so that each language occurs once. */
function assertTag(param: string, tag: string): void {
  if (tag.length > MAX_TAG || languageTag(tag) !== tag)
    throw invalid(
      param,
      'invalid_language',
      `must be the tag of a language such as en or zh-TW: ${tag.slice(0, MAX_TAG)}`,
    )
}

function assertBody(param: string, { body, variables }: Template): void {
  const names = placeholdersOf(body)
  if (!names.includes('code')) throw invalid(param, 'code_placeholder_missing', 'must contain #{code}')
  for (const name of names) {
    if (name !== 'code' && !Object.hasOwn(variables, name))
      throw invalid(param, 'undeclared_placeholder', `#{${name}} is not a declared variable`, { name })
  }
  for (const name of Object.keys(variables)) {
    if (!names.includes(name))
      throw invalid(
        param === 'body' ? 'variables' : param,
        'unused_variable',
        `#{${name}} does not occur in the body`,
        { name },
      )
  }
  if (/[^\P{Cc}\n]/u.test(body) || !body.isWellFormed()) {
    throw invalid(param, 'invalid_characters', 'must not contain control characters but line ends')
  }
  const bytes = eucKrBytes(body)
  if (bytes > LMS_MAX_BYTES) throw tooLong(param, bytes, LMS_MAX_BYTES)
}

/** Loaded with the first pattern: few templates have one, and the library is large. */
const patterns = () => require('./variable-pattern') as typeof import('./variable-pattern')

function assertVariables({ variables }: Template): void {
  if (Object.keys(variables).length > MAX_VARIABLES)
    throw invalid('variables', 'too_many', `at most ${MAX_VARIABLES}`, { max: MAX_VARIABLES })
  for (const name of Object.keys(variables)) {
    if (!VARIABLE_NAME.test(name) || name === 'code')
      throw invalid('variables', 'invalid_variable_name', `"${name}" is not a usable name`, { name })
  }
  if (Object.values(variables).some(({ pattern }) => pattern !== undefined)) patterns().assertPatterns(variables)
}

function assertProviderCode(param: string, code: string): void {
  if (!/^[\x21-\x7e]{1,64}$/.test(code))
    throw invalid(param, 'not_visible_ascii', '1 to 64 visible ASCII characters', { max: 64 })
}

function assertDlt(param: string, { entityId, templateId }: DltIds = {}): void {
  for (const [name, id] of Object.entries({ entityId, templateId }))
    if (id !== undefined && !/^\d{1,30}$/.test(id))
      throw invalid(`${param}.${name}`, 'invalid_format', '1 to 30 digits')
}

/** A line break in a value could forge the autofill line of browsers. */
const BREAKS_OR_CONTROLS = /[\p{Cc}\u2028\u2029]/u

/** The text of one message: `#{code}` and every variable filled in. Rendered once, when the issue is admitted. */
export function render(template: Template, variables: Readonly<Record<string, string>>, code: string): string {
  for (const name of Object.keys(variables)) {
    if (name === 'code') throw invalid(paramOf(name), 'reserved_template_variable', 'the service fills this in')
    if (!Object.hasOwn(template.variables, name))
      throw invalid(paramOf(name), 'unknown_template_variable', `template ${template.templateId} has no such variable`)
  }
  // The length is checked first, so that long values are not searched.
  const characters = Object.values(variables).reduce((sum, value) => sum + value.length, 0)
  if (characters > LMS_MAX_BYTES) throw tooLong('templateVariables', characters, LMS_MAX_BYTES)
  for (const [name, value] of Object.entries(variables))
    if (BREAKS_OR_CONTROLS.test(value))
      throw invalid(paramOf(name), 'invalid_characters', 'must not contain line breaks or control characters')
  let look: PatternMatch | undefined
  for (const [name, rule] of Object.entries(template.variables)) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (value === undefined) {
      if (rule.required)
        throw invalid(paramOf(name), 'template_variable_required', `is required by template ${template.templateId}`)
    } else if (rule.pattern !== undefined) {
      look ??= patterns().patternMatcher()
      const verdict = look(rule.pattern, value)
      if (verdict === 'fits') continue
      const problem = `${verdict === 'too long' ? 'is too long for' : 'does not match'} the pattern of template ${template.templateId}`
      throw invalid(paramOf(name), 'template_variable_mismatch', problem)
    }
  }
  const text = template.body.replace(PLACEHOLDER, (_, name: string) =>
    name === 'code' ? code : Object.hasOwn(variables, name) ? (variables[name] ?? '') : '',
  )
  return composed(text)
}

const paramOf = (variable: string) => `templateVariables.${variable.slice(0, 64)}`

/** SMS or LMS: by length, unless the caller insisted on `SMS`, which then must fit. */
export function messageTypeFor(text: string, requested: MessageType | undefined): MessageType {
  const bytes = eucKrBytes(text)
  if (bytes > LMS_MAX_BYTES) throw tooLong('templateVariables', bytes, LMS_MAX_BYTES)
  if (requested === 'SMS' && bytes > SMS_MAX_BYTES) throw tooLong('messageType', bytes, SMS_MAX_BYTES)
  return requested ?? (bytes > SMS_MAX_BYTES ? 'LMS' : 'SMS')
}

const tooLong = (param: string, bytes: number, maxBytes: number) =>
  invalid(param, 'message_too_long', `the message has ${bytes} EUC-KR bytes, and ${maxBytes} is the most`, { maxBytes })

/** All templates of an app; its own replace built-in ones with the same id. */
export function withBuiltIn(own: readonly Template[]): Template[] {
  const ownIds = new Set(own.map(({ templateId }) => templateId))
  return [...BUILT_IN_TEMPLATES.filter(({ templateId }) => !ownIds.has(templateId)), ...own]
}
