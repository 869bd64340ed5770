/** The guide's pages from source. `build.ts` replaces this module by the embedded pages. */
import { join } from 'node:path'
import { sourceBundle } from '../bundled'

const DOCS = join(import.meta.dir, '../../docs')

export const bundle = sourceBundle(DOCS, async () => (await import('./site')).buildGuide('quick'))
