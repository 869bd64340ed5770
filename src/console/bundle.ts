/** The console's pages as files a browser can load: bundled, named by content, compressed. */
import { join } from 'node:path'
import { type BundledFile, bundledFile, type Effort, nameOf } from '../bundled'

export const WEB = join(import.meta.dir, 'web')
export const ASSET_PREFIX = '/console/assets/'

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
      const name = nameOf(output)
      return bundledFile(
        name.endsWith('.html') ? 'index.html' : name,
        new Uint8Array(await output.arrayBuffer()),
        effort,
      )
    }),
  )
}
