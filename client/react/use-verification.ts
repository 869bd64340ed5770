/** A flow in a component. */
import { useState, useSyncExternalStore } from 'react'
import { createFlow, type Flow, type FlowOptions, type FlowState, type FlowVerdict } from '../flow'
import { IDLE } from '../flow/state'

/** What may be done, and what it has come to. The functions are the same ones in every render. */
export interface Verification<V = FlowVerdict>
  extends Pick<Flow<V>, 'send' | 'submit' | 'resend' | 'cancel' | 'changeNumber' | 'reset'> {
  state: FlowState<V>
  /** For what is no part of a render: `on`, for example. */
  flow: () => Flow<V>
}

/**
 * The options are those of the first render; another `key` on the component is another flow. It begins once the component is
 * there, and nobody waits for anything any more when it is gone.
 */
export function useVerification<V extends FlowVerdict>(options: FlowOptions<V>): Verification<V> {
  const [{ subscribe, read, ...verification }] = useState(() => held(options))
  const state = useSyncExternalStore(subscribe, read, onServer)
  return { ...verification, state }
}

const onServer = () => IDLE

function held<V extends FlowVerdict>(options: FlowOptions<V>) {
  let current: Flow<V> | undefined
  let listeners = 0

  const flow = () => {
    current ??= createFlow(options)
    return current
  }

  function subscribe(listener: () => void): () => void {
    listeners++
    const stop = flow().subscribe(listener)
    return () => {
      listeners--
      stop()
      // In strict mode it is there again at once.
      queueMicrotask(() => {
        if (listeners > 0) return
        current?.close()
        current = undefined
      })
    }
  }

  return {
    ...{ flow, subscribe },
    read: (): FlowState<V> => current?.getSnapshot() ?? IDLE,
    send: ((...given) => flow().send(...given)) as Flow<V>['send'],
    submit: ((...given) => flow().submit(...given)) as Flow<V>['submit'],
    resend: ((...given) => flow().resend(...given)) as Flow<V>['resend'],
    cancel: () => flow().cancel(),
    changeNumber: () => flow().changeNumber(),
    reset: () => flow().reset(),
  }
}
