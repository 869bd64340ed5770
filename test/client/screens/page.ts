/** What a page is asked for by its address, and what it was told by its screen. */
import { AsYouType, type CountryCode } from 'libphonenumber-js/min'

export const asked = new URLSearchParams(location.search)

declare global {
  var told: Array<{ type: string; detail: unknown }>
  /** The screen is taken off the page. */
  var leave: () => void
}

globalThis.told = []

export const tell = (type: string, detail: unknown) => globalThis.told.push({ type, detail })

export const format = (typed: string, country: string) => new AsYouType(country as CountryCode).input(typed)
