/** Reads the code from the message, where the user allows it. Loaded on demand by `web-otp.ts`. */

import type { FlowStatus, FlowVerdict } from '../flow'
import type { Flow } from '../flow/flow'

const IN_QUESTION: ReadonlySet<FlowStatus> = new Set(['sending', 'awaiting_code', 'verifying'])

/**
 * Calls with the code of a message once it may be entered. Listens from the request of a code until it can no longer
 * arrive. The returned function stops it.
 */
export function listen<V extends FlowVerdict>(flow: Flow<V>, take: (code: string) => void): () => void {
  let listening: AbortController | undefined
  let before: FlowStatus = 'idle'
  let received: string | undefined

  const stop = () => {
    listening?.abort()
    listening = undefined
    received = undefined
  }

  function ask(): void {
    stop()
    const mine = new AbortController()
    listening = mine
    void codeOfMessage(mine.signal).then((code) => {
      if (mine.signal.aborted) return
      received = code
      look()
    })
  }

  function look(): void {
    const { status, can } = flow.getSnapshot()
    const isNew = status === 'sending' && before !== 'sending'
    before = status
    const isDue = IN_QUESTION.has(status)
    if (!isDue) stop()
    else if (isNew || !listening) ask()
    if (received === undefined || !can.submit) return
    const code = received
    received = undefined
    take(code)
  }

  const unsubscribe = flow.subscribe(look)
  look()
  return () => {
    unsubscribe()
    stop()
  }
}

interface MessageOptions extends CredentialRequestOptions {
  otp: { transport: ['sms'] }
}

/** Undefined where the user declines, the page is not allowed, or it was aborted. */
async function codeOfMessage(signal: AbortSignal): Promise<string | undefined> {
  const options: MessageOptions = { otp: { transport: ['sms'] }, signal }
  try {
    const credential = (await navigator.credentials.get(options)) as { code?: string } | null
    return credential?.code
  } catch {
    return undefined
  }
}
