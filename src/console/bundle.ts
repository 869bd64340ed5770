/** The console's pages as files a browser can load: bundled, named by content, compressed. */
import { join } from 'node:path'
import { type BundledFile, bundledFile, type Effort, nameOf } from '../bundled'

export const WEB = join(import.meta.dir, 'web')
export const ASSET_PREFIX = '/console/assets/'

/** Bundles the pages, with the list of bundled inputs. */
export const buildConsole = () =>
  Bun.build({
    entrypoints: [join(WEB, 'index.html')],
    target: 'browser',
    format: 'esm',
    // Each page is its own chunk. All style sheets are part of the first page's sheet.
    splitting: true,
    minify: true,
    publicPath: ASSET_PREFIX,
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
  })

/** `index.html` keeps its name; all other files have a content hash in their name. */
export async function bundleConsole(effort: Effort): Promise<BundledFile[]> {
  const { outputs } = await buildConsole()
  // The bundler's order varies, so the files are sorted to make builds reproducible.
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
