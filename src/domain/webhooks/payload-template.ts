/**
 * Payload transformation: JSON with `{{path}}` placeholders. Inside a string a value is inserted as text, elsewhere as
 * JSON, so that no value can break the structure. Specification: "Events".
 */
import { invalid } from '../shared/error'

const PLACEHOLDER = /\{\{([^{}]*)\}\}/y
const PATH = /^[A-Za-z_][\w-]*(\.[\w-]+)*$/

const MAX_TEMPLATE_CHARACTERS = 16_384
/** Longest body of a webhook request. */
export const MAX_BODY_BYTES = 64 * 1024

/** A part of a template: text to copy, or a path to fill in. */
type TemplatePart = string | { path: string[]; isInString: boolean }

/** Throws `invalid` for braces without a path, and for a template that is too long. */
function parse(template: string): TemplatePart[] {
  if (template.length > MAX_TEMPLATE_CHARACTERS) {
    const max = MAX_TEMPLATE_CHARACTERS
    throw invalid('template', 'too_long', `at most ${max} characters`, { max })
  }
  const pieces: TemplatePart[] = []
  let text = ''
  let isInString = false
  for (let at = 0; at < template.length; ) {
    PLACEHOLDER.lastIndex = at
    const found = template.startsWith('{{', at) ? PLACEHOLDER.exec(template) : undefined
    if (found) {
      const [whole, inner = ''] = found
      const path = inner.trim()
      if (!PATH.test(path)) {
        const placeholder = `{{${path.slice(0, 40)}}}`
        throw invalid('template', 'invalid_placeholder', `not a path: ${placeholder}`, { placeholder })
      }
      pieces.push(text, { path: path.split('.'), isInString })
      text = ''
      at += whole.length
      continue
    }
    const isEscape = isInString && template[at] === '\\'
    if (!isEscape && template[at] === '"') isInString = !isInString
    text += template.slice(at, at + (isEscape ? 2 : 1))
    at += isEscape ? 2 : 1
  }
  return [...pieces, text]
}

/** Value of an event at a path; own properties only. */
const valueAt = (event: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    event,
  )

function write(value: unknown, isInString: boolean): string {
  if (!isInString) return JSON.stringify(value ?? null)
  if (value === undefined || value === null) return ''
  return JSON.stringify(typeof value === 'string' ? value : JSON.stringify(value)).slice(1, -1)
}

/**
 * Renders the body. A missing value becomes `null`, or nothing inside a string. Throws `invalid` where the result is no
 * JSON or too long.
 */
export function renderHookTemplate(template: string, event: unknown): string {
  let body = ''
  for (const piece of parse(template)) {
    body += typeof piece === 'string' ? piece : write(valueAt(event, piece.path), piece.isInString)
    // Checked in the loop: a short template can repeat a large value a thousand times.
    if (body.length > MAX_BODY_BYTES) throw tooLarge()
  }
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) throw tooLarge()
  try {
    JSON.parse(body)
  } catch {
    throw invalid('template', 'template_not_json', 'must be JSON after substitution')
  }
  return body
}

const tooLarge = () => {
  const max = MAX_BODY_BYTES
  return invalid('template', 'too_long', `must be at most ${max} bytes after substitution`, { max })
}

/**
 * Throws `invalid` for a template that makes no JSON. An empty event is enough to test, since values cannot break the
 * structure.
 */
export const assertHookTemplate = (template: string): void => void renderHookTemplate(template, {})
