/** Who issues and verifies for the element. */
import type { FlowTransport } from '../flow'

/**
 * The page's own backend: `<address>/issue` and `<address>/verify` get what the flow sends, as JSON and with the page's
 * cookies, and answer what Watchword has answered them, errors with their status.
 */
export function backendAt(address: string): FlowTransport {
  async function post(path: string, body: object, signal: AbortSignal) {
    const response = await fetch(`${address.replace(/\/+$/, '')}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })
    const answer = await response.json()
    if (!response.ok) throw { ...answer, status: response.status }
    return answer
  }
  return {
    issue: (order, { signal }) => post('issue', order, signal),
    verify: (attempt, { signal }) => post('verify', attempt, signal),
  }
}
