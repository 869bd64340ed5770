/** WebOTP: reading the code from the message. Only browsers that can do it load how it is done. */
import type { FlowVerdict } from '../flow'
import type { Flow } from '../flow/flow'

/** Calls with the code of a message once it may be entered. The returned function stops it. */
export function listenForMessages<V extends FlowVerdict>(flow: Flow<V>, take: (code: string) => void): () => void {
  if (!('OTPCredential' in globalThis)) return () => {}
  let stop: (() => void) | undefined
  let isOver = false
  import('./message')
    .then(({ listen }) => {
      if (!isOver) stop = listen(flow, take)
    })
    .catch(() => {})
  return () => {
    isOver = true
    stop?.()
  }
}
