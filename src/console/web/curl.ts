/** Commands that can be pasted into a shell and run. */

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
