/**
 * Payload transformation: JSON with `{{path}}` in it. Inside a string a value is written as text, outside of one as
 * JSON, so that whatever a value holds, the result is the JSON the template's author meant.
 */
import { invalid } from '../shared/error'

const PLACEHOLDER = /\{\{([^{}]*)\}\}/y
const PATH = /^[A-Za-z_][\w-]*(\.[\w-]+)*$/

const MAX_TEMPLATE_CHARACTERS = 16_384
/** As long as a request of ours may be. */
export const MAX_BODY_BYTES = 64 * 1024

/** A template in pieces: text to copy, and paths to fill in. */
type TemplatePart = string | { path: string[]; isInString: boolean }

/** Throws `invalid` for braces that hold no path, and for too many characters. */
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

/** What an event says at a path; own fields only. */
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

/** A missing value is `null`, or nothing inside a string. Throws `invalid` where the result is no JSON, or too long. */
export function renderHookTemplate(template: string, event: unknown): string {
  let body = ''
  for (const piece of parse(template)) {
    body += typeof piece === 'string' ? piece : write(valueAt(event, piece.path), piece.isInString)
    // A short template can name a large value a thousand times.
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

/** Throws `invalid` for what is not JSON with every event: where nothing fits, every value does. */
export const assertHookTemplate = (template: string): void => void renderHookTemplate(template, {})
