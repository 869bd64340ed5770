/** The transports that attributes of the element name. They are loaded beside it. */
import { createOtpClient } from '../client'
import type { FlowTransport } from '../flow'

type Named = Readonly<Record<'action' | 'url' | 'key', string | null | undefined>>

export function transportOf({ action, url, key }: Named): FlowTransport {
  if (action != null) return backendAt(action)
  return url != null && key != null ? createOtpClient({ baseUrl: url, apiKey: key }) : NOBODY
}

/**
 * Transport over the page's own backend. `<address>/issue`, `/verify` and `/delivery` get the requests of the flow as JSON
 * with the page's cookies, and answer with Watchword's answers, errors with their status.
 */
function backendAt(address: string): FlowTransport {
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
    delivery: (issue, { signal }) => post('delivery', issue, signal),
  }
}

/** An element without a transport explains the mistake to the page's author. */
const unknown = (): Promise<never> => {
  const error = Object.assign(new Error('<watchword-verify> needs key and url, action or transport'), {
    status: 400,
  })
  reportError(error)
  return Promise.reject(error)
}
const NOBODY: FlowTransport = { issue: unknown, verify: unknown }
