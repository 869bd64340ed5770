/** Phones whose next codes look like abuse, of an app whose usual traffic is known. */
import type { CallerKind } from '../../src/domain/access/caller'
import { DAY_MS } from '../../src/domain/shared/value'
import type { World } from './world'

/** Of a prefix to which more codes are open than is usual. */
export const SUSPECT = '010-6666-6666'
/** As it is refused until those have been judged, or have expired. */
export const REFUSED_AS_ABUSE = { limit: 'abuse', policy: 'platform', retryAfterMs: 30_000 }

const LEARNED_DAYS = 10
/** As many may be open to a prefix. */
const PENDING = 27

/** Before anything of it has been asked for. `keys` are the app's own. */
export async function suspect(
  world: World,
  appId: string,
  keys: ReadonlyArray<{ key: string; kind: CallerKind; origin?: string }>,
): Promise<void> {
  const days = Array.from({ length: LEARNED_DAYS }, (_, n) => world.clock.now() - (n + 1) * DAY_MS)
  const hours = keys.flatMap(({ kind }) =>
    days.map((hour) => `('${appId}', '${kind}', 'KR', ${hour}, 100, 100, 90, 10)`),
  )
  await world.write(
    `INSERT INTO traffic_hours (app_id, key_kind, country, hour, sent, credits, verified, unverified) VALUES ${hours}`,
  )
  for (const { key, kind, origin } of keys)
    for (let n = 0; n < PENDING; n++) {
      const request = { phoneNumber: `010-6666-${1_000 + n}`, purpose: 'suspicious', idempotencyKey: `suspicious-${n}` }
      const { status } = await world.call('rest', 'issue', request, {
        ...{ key, ip: `198.51.100.${n}` },
        ...(kind === 'pk' && origin !== undefined && { headers: { origin } }),
      })
      if (status !== 200) throw new Error(`What is to look like abuse was answered ${status}`)
    }
}
