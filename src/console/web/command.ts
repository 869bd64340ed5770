/** Commands for the server's shell, and curl commands for the API. */
import { useQuery } from '@tanstack/react-query'
import { api } from './api'

/** Prefixes a command with the name of this server's program: “provider list” becomes “watchword provider list”. */
export function useCommand(): (words: string) => string {
  const { data } = useQuery(api.system.show.queryOptions({ staleTime: Number.POSITIVE_INFINITY }))
  return (words) => `${data?.command ?? 'watchword'} ${words}`
}

/** Placeholder for the reader's own key. */
export const KEY_PLACEHOLDER = 'sk_test_…'

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

interface Command {
  /** Path below the API, for example `/issue`. */
  path: string
  key: string
  /** Origin of a browser key; browsers send it themselves. */
  site?: string | undefined
  idempotencyKey?: string
  body?: object
}

/** Commands that can be pasted into a shell and run. */
export function curl({ path, key, site, idempotencyKey, body }: Command): string {
  const header = (name: string, value: string) => `-H ${quoted(`${name}: ${value}`)}`
  return [
    `curl -s ${location.origin}/v1${path}`,
    header('Authorization', `Bearer ${key}`),
    ...(site === undefined ? [] : [header('Origin', site)]),
    ...(body ? [header('Content-Type', 'application/json')] : []),
    ...(idempotencyKey === undefined ? [] : [header('Idempotency-Key', idempotencyKey)]),
    ...(body ? [`-d ${quoted(JSON.stringify(body))}`] : []),
  ].join(' \\\n  ')
}

/** A unique name, for an idempotency key or a reference. */
export function freshName(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8))
  return `${prefix}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
