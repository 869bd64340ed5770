/** Browser and system of a User-Agent. People recognise their own sessions by them, and nothing more is kept. */
export interface Device {
  /** Empty where it is not known. */
  browser: string
  system: string
}

/** The first that matches counts: most browsers also name those that they descend from. */
const BROWSERS: readonly [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung', /\bSamsungBrowser\//],
  ['Whale', /\bWhale\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
]

const SYSTEMS: readonly [name: string, pattern: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
]

/** A longer one is nobody's browser. */
const LENGTH_AT_MOST = 1_000

export function deviceOf(userAgent: string | null): Device {
  const text = (userAgent ?? '').slice(0, LENGTH_AT_MOST)
  const named = (names: typeof BROWSERS) => names.find(([, pattern]) => pattern.test(text))?.[0] ?? ''
  return { browser: named(BROWSERS), system: named(SYSTEMS) }
}
