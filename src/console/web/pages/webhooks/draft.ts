/** An endpoint while it is edited. */
import type { ShownEndpoint } from './endpoint-state'
import { EVENT_TYPES, type NamedEventType } from './words'

/** A line of a list that grows; the key keeps what is typed with its line. */
export interface DraftLine<T> {
  key: number
  name: string
  value: T
}

export interface EndpointDraft {
  url: string
  events: NamedEventType[]
  methods: string[]
  purposes: string[]
  metadata: readonly DraftLine<string[]>[]
  /** Undefined: those that are set stay. */
  headers: readonly DraftLine<string>[] | undefined
  hasTemplate: boolean
  template: string
}

let lastKey = 0
export const newLine = <T>(value: T, name = ''): DraftLine<T> => ({ key: ++lastKey, name, value })

const TEMPLATE = `{
  "event": "{{type}}",
  "issue": "{{data.id}}",
  "at": {{created}}
}`

export const newEndpoint = (): EndpointDraft => ({
  url: '',
  events: [...EVENT_TYPES],
  methods: [],
  purposes: [],
  metadata: [],
  headers: [],
  hasTemplate: false,
  template: TEMPLATE,
})

export const endpointDraft = ({ url, events, filters, headers, template }: ShownEndpoint): EndpointDraft => ({
  url,
  events: [...events],
  methods: filters.method ?? [],
  purposes: filters.type ?? [],
  metadata: Object.entries(filters.metadata ?? {}).map(([name, values]) => newLine(values, name)),
  headers: headers.length === 0 ? [] : undefined,
  hasTemplate: template !== '',
  template: template || TEMPLATE,
})

export const templateIn = ({ hasTemplate, template }: EndpointDraft) => (hasTemplate ? template : '')

export function settingsOf(draft: EndpointDraft) {
  const { url, events, methods, purposes, metadata, headers } = draft
  const named = metadata.filter(({ name, value }) => name.trim() !== '' && value.length > 0)
  return {
    url: url.trim(),
    events,
    filters: {
      ...(methods.length > 0 && { method: methods }),
      ...(purposes.length > 0 && { type: purposes }),
      ...(named.length > 0 && {
        metadata: Object.fromEntries(named.map(({ name, value }) => [name.trim(), value])),
      }),
    },
    template: templateIn(draft),
    ...(headers && {
      headers: Object.fromEntries(
        headers.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]),
      ),
    }),
  }
}
