/** The one time zone of lists, charts, days and exports: that of the browser, unless the reader has chosen another. */
import { useSyncExternalStore } from 'react'
import { isTimeZone } from '../../domain/shared/time-zone'
import { kept } from './kept'

/** Read anew each time: a traveller's browser may change it. */
export const browserTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

const choice = kept('time-zone')
const listeners = new Set<() => void>()

export function timeZone(): string {
  const chosen = choice.get()
  return chosen && isTimeZone(chosen) ? chosen : browserTimeZone()
}

/** Undefined: that of the browser. */
export function setTimeZone(chosen: string | undefined): void {
  choice.set(chosen ?? '')
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useTimeZone = (): string => useSyncExternalStore(subscribe, timeZone)
