/** Message templates and the text made from them. Specification: "Template", `POST /issue` rule 11. */
import { invalid } from './error'
import type { Channel, MessageType } from './value'

export interface TemplateVariable {
  /** Regular expression the whole value must match. */
  pattern?: string
  description?: string
  /** False: may be left out; its placeholder is then empty. */
  required: boolean
}

export interface Template {
  templateId: string
  name: string
  channelSupport: readonly Channel[]
  body: string
  variables: Readonly<Record<string, TemplateVariable>>
  providerTemplateCode: string
}

export const DEFAULT_TEMPLATE_ID = 'otp_default_kr'

export const BUILT_IN_TEMPLATES: readonly Template[] = [
  {
    templateId: DEFAULT_TEMPLATE_ID,
    name: '인증번호 (한국어)',
    channelSupport: ['sms', 'alimtalk'],
    body: '인증번호는 [#{code}]입니다. 타인에게 알려주지 마세요.',
    variables: {},
    providerTemplateCode: DEFAULT_TEMPLATE_ID,
  },
  {
    templateId: 'otp_default_en',
    name: 'Verification code (English)',
    channelSupport: ['sms', 'alimtalk'],
    body: 'Your verification code is #{code}. Do not share it with anyone.',
    variables: {},
    providerTemplateCode: 'otp_default_en',
  },
]

export const TEMPLATE_NOTE =
  'Templates are registered by the operator, not through the API. Every body contains #{code}; AlimTalk templates must be approved by Kakao first.'

const PLACEHOLDER = /#\{([^{}]*)\}/g
const VARIABLE_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/

/** Longest SMS, in EUC-KR bytes; longer text goes as LMS. */
export const SMS_MAX_BYTES = 90
const LMS_MAX_BYTES = 2_000

/** EUC-KR writes ASCII in one byte and everything else in two. */
export function eucKrBytes(text: string): number {
  let bytes = 0
  for (const character of text) bytes += character.charCodeAt(0) < 0x80 ? 1 : 2
  return bytes
}

/** The names a body has placeholders for, each once, `code` included. */
export const placeholdersOf = (body: string): string[] => [
  ...new Set([...body.matchAll(PLACEHOLDER)].map((match) => match[1] ?? '')),
]

/** Refuses a template that could not make a message: its placeholders and variables must be the same names. */
export function assertTemplate(template: Template): void {
  const names = placeholdersOf(template.body)
  if (!names.includes('code')) throw invalid('body', 'code_placeholder_missing', 'must contain #{code}')
  for (const name of names) {
    if (name !== 'code' && !Object.hasOwn(template.variables, name))
      throw invalid('body', 'undeclared_placeholder', `#{${name}} is not a declared variable`, { name })
  }
  for (const [name, { pattern }] of Object.entries(template.variables)) {
    if (!VARIABLE_NAME.test(name) || name === 'code')
      throw invalid('variables', 'invalid_variable_name', `"${name}" is not a usable name`, { name })
    if (!names.includes(name))
      throw invalid('variables', 'unused_variable', `#{${name}} does not occur in the body`, { name })
    if (pattern !== undefined) compilePattern(name, pattern)
  }
  if (/[^\P{Cc}\n]/u.test(template.body) || !template.body.isWellFormed()) {
    throw invalid('body', 'invalid_characters', 'must not contain control characters but line ends')
  }
  if (!/^[\x21-\x7e]{1,64}$/.test(template.providerTemplateCode)) {
    throw invalid('providerTemplateCode', 'not_visible_ascii', '1 to 64 visible ASCII characters', { max: 64 })
  }
  const bytes = eucKrBytes(template.body)
  if (bytes > LMS_MAX_BYTES) throw tooLong('body', bytes, LMS_MAX_BYTES)
  if (template.channelSupport.length === 0) throw invalid('channelSupport', 'required', 'at least one channel')
}

function compilePattern(name: string, pattern: string): RegExp {
  try {
    // By itself first, so that it cannot close the group it is put into.
    new RegExp(pattern, 'u')
    return new RegExp(`^(?:${pattern})$`, 'u')
  } catch {
    throw invalid('variables', 'invalid_pattern', `the pattern of "${name}" is not a regular expression`, { name })
  }
}

/** The text of one message: `#{code}` and every variable filled in. Rendered once, when the issue is admitted. */
export function render(template: Template, variables: Readonly<Record<string, string>>, code: string): string {
  for (const name of Object.keys(variables)) {
    if (name === 'code') throw invalid(paramOf(name), 'reserved_template_variable', 'the service fills this in')
    if (!Object.hasOwn(template.variables, name))
      throw invalid(paramOf(name), 'unknown_template_variable', `template ${template.templateId} has no such variable`)
  }
  for (const [name, rule] of Object.entries(template.variables)) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (value === undefined) {
      if (rule.required)
        throw invalid(paramOf(name), 'template_variable_required', `is required by template ${template.templateId}`)
    } else if (rule.pattern !== undefined && !compilePattern(name, rule.pattern).test(value)) {
      const problem = `does not match the pattern of template ${template.templateId}`
      throw invalid(paramOf(name), 'template_variable_mismatch', problem)
    }
  }
  return template.body.replace(PLACEHOLDER, (_, name: string) =>
    name === 'code' ? code : Object.hasOwn(variables, name) ? (variables[name] ?? '') : '',
  )
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
