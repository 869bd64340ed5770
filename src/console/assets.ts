/** Serves the console's pages: embedded in the binary, or bundled from source. Nothing is loaded from elsewhere. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Random } from '../ports/random'
import { ASSET_PREFIX, type Bytes } from './bundle'
import { embedded } from './embedded'
import { bundledFromSource } from './source'

const PAGE = 'index.html'

/** Its procedures, which are answered elsewhere. */
const RPC = '/console/rpc'

/** Stands in the page where its nonce belongs. */
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
  const file = name === PAGE ? undefined : await find(name)
  if (!file) return undefined
  const encoding = encodingFor(acceptEncoding)
  return new Response(encoding ? await file[encoding]() : await plain(file), {
    headers: {
      ...securityHeaders(),
      'content-type': file.type,
      ...(encoding && { 'content-encoding': encoding }),
      vary: 'accept-encoding',
      'cache-control': 'public, max-age=31536000, immutable',
    },
  })
}

/** A kilobyte, and another one each time since no nonce may be used twice: not compressed. */
async function page(random: Random): Promise<Response> {
  const file = await find(PAGE)
  if (!file) throw new Error('The console has no page')
  const nonce = Buffer.from(random.bytes(16)).toString('base64')
  const html = new TextDecoder().decode(await plain(file)).replaceAll(NONCE_MARK, nonce)
  return new Response(html, {
    headers: { ...securityHeaders(nonce), 'content-type': file.type, 'cache-control': 'no-store' },
  })
}

interface Asset {
  type: string
  br(): Promise<Bytes>
  gzip(): Promise<Bytes>
}

async function find(name: string): Promise<Asset | undefined> {
  if (embedded) {
    const file = embedded.find((one) => one.name === name)
    return file && { type: file.type, br: () => Bun.file(file.br).bytes(), gzip: () => Bun.file(file.gzip).bytes() }
  }
  const file = (await bundledFromSource()).find((one) => one.name === name)
  return file && { type: file.type, br: async () => file.br, gzip: async () => file.gzip }
}

const plain = async (file: Asset) => promisify(gunzip)(await file.gzip())

/** The best of ours that the browser takes. Browsers name what they can do and never weigh it, so weights count only as refusals. */
function encodingFor(accepted: string | null): 'br' | 'gzip' | undefined {
  const named = (accepted ?? '').split(',').flatMap((part) => {
    const [name = '', weight = ''] = part.trim().toLowerCase().split(';')
    return /q=0(\.0*)?$/.test(weight.trim()) ? [] : [name.trim()]
  })
  return (['br', 'gzip'] as const).find((encoding) => named.includes(encoding))
}
