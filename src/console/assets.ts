/** Serves the console's pages: embedded in the binary, or bundled from source. Nothing is loaded from elsewhere. */
import { assetResponse, plainBytes } from '../bundled'
import type { Random } from '../ports/vault'
import { ASSET_PREFIX } from './bundle'
import { bundle } from './embedded'

const PAGE = 'index.html'

/** Path of the console's procedures, which `rpc.ts` answers. */
const RPC = '/console/rpc'

/** Placeholder of the nonce in the page. */
const NONCE_MARK = '__NONCE__'

/**
 * Scripts come from our files alone. Style sheets too, but for the few rules components write while they run, which
 * carry the nonce of their page. Style attributes in markup are refused; React sets styles through the DOM instead.
 */
const securityHeaders = (nonce?: string) => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
})

/** A page or a file of the console, or undefined for any other path. Every path that is no file is the one page. */
export async function consoleAsset(
  path: string,
  acceptEncoding: string | null,
  random: Random,
): Promise<Response | undefined> {
  if (path !== '/console' && !path.startsWith('/console/')) return undefined
  if (path === RPC || path.startsWith(`${RPC}/`)) return undefined
  if (!path.startsWith(ASSET_PREFIX)) return page(random)
  const name = path.slice(ASSET_PREFIX.length)
  const file = name === PAGE ? undefined : await bundle.find(name)
  if (!file) return undefined
  const headers = { ...securityHeaders(), 'cache-control': 'public, max-age=31536000, immutable' }
  return assetResponse(file, acceptEncoding, headers)
}

/** The page is one kilobyte and has a new nonce each time, so it is not compressed. */
async function page(random: Random): Promise<Response> {
  const file = await bundle.find(PAGE)
  if (!file) throw new Error('The console has no page')
  const nonce = Buffer.from(random.bytes(16)).toString('base64')
  const html = new TextDecoder().decode(await plainBytes(file)).replaceAll(NONCE_MARK, nonce)
  return new Response(html, {
    headers: { ...securityHeaders(nonce), 'content-type': file.type, 'cache-control': 'no-store' },
  })
}
