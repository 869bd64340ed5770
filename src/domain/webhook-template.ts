/**
 * Payload transformation: JSON with `{{path}}` in it. Inside a string a value is written as text, outside of one as
 * JSON, so that whatever a value holds, the result is the JSON the template's author meant.
 */
import { EVENT_TYPES, type EventType, sampleEvent } from '../../contract/event'
import { invalid } from './error'

const PLACEHOLDER = /\{\{([^{}]*)\}\}/y
const PATH = /^[A-Za-z_][\w-]*(\.[\w-]+)*$/

/** A template in pieces: text to copy, and paths to fill in. */
type Piece = string | { path: string[]; isInString: boolean }

/** Throws `invalid` for braces that hold no path. */
function parse(template: string): Piece[] {
  const pieces: Piece[] = []
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

/** A missing value is `null`, or nothing inside a string. Throws `invalid` where the result is no JSON. */
export function renderHookTemplate(template: string, event: unknown): string {
  const body = parse(template)
    .map((piece) => (typeof piece === 'string' ? piece : write(valueAt(event, piece.path), piece.isInString)))
    .join('')
  try {
    JSON.parse(body)
  } catch {
    throw invalid('template', 'template_not_json', 'must be JSON after substitution')
  }
  return body
}

/** What each event would look like, by its sample. Throws `invalid` as rendering does. */
export const previewHookTemplate = (
  template: string,
  events: readonly EventType[] = EVENT_TYPES,
): Array<{ type: EventType; body: string }> =>
  events.map((type) => ({ type, body: renderHookTemplate(template, sampleEvent(type)) }))

/** Throws `invalid` for what is not JSON with every event: where nothing fits, every value does. */
export const assertHookTemplate = (template: string): void => void renderHookTemplate(template, {})
