/** Serves the guide at `/docs/guide`: `docs/*.md` as a site, embedded in the binary or built from source. */
import { assetResponse } from '../bundled'
import { bundle } from './embedded'
import { GUIDE_PREFIX } from './shared'

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** A page, or an asset with a content hash in its name; undefined for any other path. */
export async function guide(path: string, acceptEncoding: string | null): Promise<Response | undefined> {
  if (path !== GUIDE_PREFIX && !path.startsWith(`${GUIDE_PREFIX}/`)) return undefined
  const name = path.slice(GUIDE_PREFIX.length + 1) || 'index'
  const isPage = !name.includes('.')
  const file = await bundle.find(isPage ? `${name}.html` : name)
  if (!file) return undefined
  const caching = isPage ? 'no-cache' : 'public, max-age=31536000, immutable'
  return assetResponse(file, acceptEncoding, { ...HEADERS, 'cache-control': caching })
}
