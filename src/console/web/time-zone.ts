/** The one time zone of lists, charts, days and exports: that of the browser, unless the reader has chosen another. */
import { isTimeZone } from '../../domain/shared/time-zone'
import { kept } from './kept'

/** Read anew each time: a traveller's browser may change it. */
export const browserTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

const choice = kept('time-zone')

const orOfBrowser = (chosen: string | undefined) => (chosen && isTimeZone(chosen) ? chosen : browserTimeZone())

export const timeZone = (): string => orOfBrowser(choice.get())

/** Undefined: that of the browser. */
export const setTimeZone = (chosen: string | undefined): void => choice.set(chosen ?? '')

export const useTimeZone = (): string => orOfBrowser(choice.use())
