/** What an owner decides about how an app's texts are written. */
import type { App } from '../../domain/access/app'
import { asHost, assertAndroidHash, type Texts, textsOf } from '../../domain/message/rendered-message'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, lockApp } from './shared'

/** What is not named stays; null: none from now on. */
export interface WantedTexts {
  webOtpDomain?: string | null | undefined
  androidHash?: string | null | undefined
  localeByCountry?: boolean | undefined
}

/** Messages already admitted keep the text they were admitted with. Throws `invalid`, or `not_found`. */
export async function setTexts(deps: AdminDependencies, appId: string, wanted: WantedTexts): Promise<App> {
  const { webOtpDomain: host, androidHash: hash, localeByCountry } = wanted
  if (hash) assertAndroidHash(hash)
  const decided: Partial<Texts> = {
    ...(host !== undefined && { webOtpDomain: host === null ? undefined : asHost(host) }),
    ...(hash !== undefined && { androidHash: hash ?? undefined }),
    ...(localeByCountry !== undefined && { localeByCountry }),
  }
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const before = textsOf(app)
    const texts = { ...before, ...decided }
    const changed = { ...app, texts }
    await tx.apps.save(changed)
    await writeAudit(deps, tx, 'app.texts', appId, { ...texts, before })
    return changed
  })
}
