/** Small choices in `localStorage`. In private windows, which may forbid it, they last as long as the page. */
import { useSyncExternalStore } from 'react'

export function kept(name: string) {
  const key = `watchword.${name}`
  let here: string | undefined
  const listeners = new Set<() => void>()
  const get = (): string | undefined => {
    try {
      return localStorage.getItem(key) ?? here
    } catch {
      return here
    }
  }
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    get,
    set(value: string) {
      here = value
      try {
        localStorage.setItem(key, value)
      } catch {}
      for (const listener of listeners) listener()
    },
    use: () => useSyncExternalStore(subscribe, get),
  }
}
