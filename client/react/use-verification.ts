/** A flow in a component. */
import { useState, useSyncExternalStore } from 'react'
import { createFlow, type Flow, type FlowOptions, type FlowState, type FlowVerdict } from '../flow'
import { IDLE } from '../flow/state'

/** State and actions of a flow. The functions are stable between renders. */
export interface Verification<V = FlowVerdict>
  extends Pick<Flow<V>, 'send' | 'submit' | 'resend' | 'cancel' | 'changeNumber' | 'reset'> {
  state: FlowState<V>
  /** The flow itself, for use outside of renders, for example `on`. */
  flow: () => Flow<V>
}

/**
 * Options are taken from the first render; another `key` on the component makes another flow. The flow starts when the
 * component mounts and ends when it unmounts.
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
      // Strict mode mounts again at once.
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
