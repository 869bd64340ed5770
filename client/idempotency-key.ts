/** A fresh idempotency key: make one for each thing the user asked for, and keep it for retries. */
export function newIdempotencyKey(): string {
  // `crypto.randomUUID` is missing on pages served by plain http.
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
