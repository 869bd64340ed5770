/** The widget of a vendor of challenges. Its script comes from the vendor, once the service asks for a proof of a human. */
import type { ScreenChallenge } from '../flow/transport'

interface Widget {
  render(place: HTMLElement, options: { sitekey: string; callback: (token: string) => void }): unknown
  ready(listener: () => void): void
}

const VENDORS = {
  turnstile: ['https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit', 'turnstile'],
  hcaptcha: ['https://js.hcaptcha.com/1/api.js?render=explicit', 'hcaptcha'],
  recaptcha: ['https://www.google.com/recaptcha/api.js?render=explicit', 'grecaptcha'],
} as const satisfies Record<ScreenChallenge['vendor'], readonly [string, string]>

/** Shows the widget, and resolves to its token. */
export async function tokenOf({ vendor, siteKey }: ScreenChallenge, place: HTMLElement): Promise<string> {
  const [url, name] = VENDORS[vendor]
  await loaded(url)
  const widget = (globalThis as unknown as Record<string, Widget>)[name] as Widget
  return new Promise((resolve) => {
    // A widget is drawn once into a node, and each token is good once.
    const node = document.createElement('div')
    place.replaceChildren(node)
    const draw = () => widget.render(node, { sitekey: siteKey, callback: resolve })
    if (vendor === 'recaptcha') widget.ready(draw)
    else draw()
  })
}

/** A page may require trusted types; then its policy has to allow the name `watchword`. */
function trusted(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): Policy } }
  policy ??= trustedTypes?.createPolicy('watchword', { createScriptURL: (given: string) => given })
  return policy?.createScriptURL(url) ?? url
}

interface Policy {
  createScriptURL(url: string): string
}
let policy: Policy | undefined

const scripts = new Map<string, Promise<void>>()

function loaded(url: string): Promise<void> {
  const known = scripts.get(url)
  if (known) return known
  const script = document.createElement('script')
  script.src = trusted(url)
  const loading = new Promise<void>((resolve, reject) => {
    script.onload = () => resolve()
    script.onerror = () => {
      scripts.delete(url)
      reject(new Error('The widget could not be loaded'))
    }
  })
  scripts.set(url, loading)
  document.head.append(script)
  return loading
}
