/** How commands are to be typed on the server. */
import { useQuery } from '@tanstack/react-query'
import { api } from './api'

/** Writes a command as this server's program is called: “provider list” to “watchword provider list”. */
export function useCommand(): (words: string) => string {
  const { data } = useQuery(api.system.show.queryOptions({ staleTime: Number.POSITIVE_INFINITY }))
  return (words) => `${data?.command ?? 'watchword'} ${words}`
}

/** Stands where a reader puts their own key. */
export const KEY_PLACEHOLDER = 'sk_test_…'

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

interface Command {
  /** Below the API, `/issue` say. */
  path: string
  key: string
  /** The site a public key is used from; browsers say it themselves. */
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

/** A name nobody has used yet: for what must happen once, however often it is sent. */
export function freshName(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8))
  return `${prefix}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
