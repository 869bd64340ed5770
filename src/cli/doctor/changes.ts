/**
 * What this release does otherwise than 0.1.0, as far as the database shows whom it concerns; the changelog has the rest.
 * Told for as long as issues from before are among the newest of an app.
 */
import { isActive } from '../../domain/key'
import { type Check, findings } from './finding'

const ISSUES_LOOKED_AT = 1_000

export const checkChanges: Check = async ({ store: { read }, now }) => {
  const apps = await read.apps.all()
  const concerned = await Promise.all(
    apps.map(async ({ appId }) => {
      const keys = (await read.keys.ofApp(appId)).filter((key) => key.mode === 'live' && isActive(key, now))
      if (new Set(keys.map(({ kind }) => kind)).size < 2) return false
      const recent = await read.issues.page({ appId, mode: 'live' }, { limit: ISSUES_LOOKED_AT }, now)
      return recent.some(({ keyKind }) => keyKind === undefined)
    }),
  )
  return findings(
    'changes',
    apps
      .filter((_, index) => concerned[index])
      .map(({ appId, name }) => ({
        state: 'warn',
        message: `${name} (${appId}) issues by browser keys and by secret keys: since 0.1.0 idempotency keys and the allowance of a phone count for each kind by itself.`,
        advice:
          'A request is repeated with a key of the kind that made it; see "What changes for you" in the changelog.',
      })),
    'Nothing that was issued lately depends on what has changed since 0.1.0.',
  )
}
