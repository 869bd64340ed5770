/** Settings that a screen in a page needs before it asks for a code. */
import { openCountries } from '../abuse/rules/protection'
import type { ApiKey } from '../domain/access/api-key'
import type { Node } from '../ports/node'
import { type Modes, rulesOf } from './shared/mode'

export interface ScreenDependencies {
  node: { directory: Pick<Node['directory'], 'app' | 'challenge'> }
  modes: Modes
}

/** The challenge is left out where the page cannot show it: without a site key, or in test mode, which asks for none. */
export async function describeScreen({ node: { directory }, modes }: ScreenDependencies, key: ApiKey): Promise<object> {
  const rules = rulesOf(modes, key)
  const [app, challenge] = await Promise.all([directory.app(key.appId), directory.challenge(key.appId)])
  const { vendor, siteKey } = challenge ?? {}
  return {
    countries: openCountries(rules.protection(app), { kind: key.kind, home: rules.home(key.region) }),
    ...(key.mode === 'live' && siteKey !== undefined && { challenge: { vendor, siteKey } }),
  }
}
