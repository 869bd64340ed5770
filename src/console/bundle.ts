/** The console's pages as files a browser can load: bundled, named by content, compressed. */
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const WEB = join(import.meta.dir, 'web')
export const ASSET_PREFIX = '/console/assets/'

export type Bytes = Uint8Array<ArrayBuffer>

/** One file. Only compressed bytes are kept: hardly anybody asks for others, and those can be made from them. */
export interface BundledFile {
  name: string
  type: string
  br: Bytes
  gzip: Bytes
}

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
}

/** `best` costs seconds and is for the build of the binary. */
export type Effort = 'quick' | 'best'

/** What the bundler makes of the pages, with its list of what it took. */
export const buildConsole = () =>
  Bun.build({
    entrypoints: [join(WEB, 'index.html')],
    target: 'browser',
    format: 'esm',
    // Every page is a chunk of its own, loaded when it is visited. Its style sheets are part of the first page's.
    splitting: true,
    minify: true,
    publicPath: ASSET_PREFIX,
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
  })

/** The page itself is `index.html`; everything else has its content's hash in its name. */
export async function bundleConsole(effort: Effort): Promise<BundledFile[]> {
  const { outputs } = await buildConsole()
  // The bundler has them in any order; what is made of one source is always the same.
  const sorted = outputs.toSorted((one, other) => (one.path < other.path ? -1 : 1))
  return Promise.all(
    sorted.map(async (output) => {
      const name = output.path.replace(/^.*[\\/]/, '')
      const bytes = new Uint8Array(await output.arrayBuffer())
      const extension = name.slice(name.lastIndexOf('.') + 1)
      const isPage = extension === 'html'
      return {
        name: isPage ? 'index.html' : name,
        type: TYPES[extension] ?? 'application/octet-stream',
        ...(await compress(bytes, effort)),
      }
    }),
  )
}

async function compress(bytes: Uint8Array, effort: Effort): Promise<Pick<BundledFile, 'br' | 'gzip'>> {
  const quality = effort === 'best' ? constants.BROTLI_MAX_QUALITY : 4
  const [small, common] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
    promisify(gzip)(bytes, { level: effort === 'best' ? 9 : 5 }),
  ])
  return { br: new Uint8Array(small), gzip: new Uint8Array(common) }
}
