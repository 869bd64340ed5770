/** The guide's pages from source; `build.ts` puts those that the binary carries in this module's place. */
import { join } from 'node:path'
import { sourceBundle } from '../bundled'

const DOCS = join(import.meta.dir, '../../docs')

export const bundle = sourceBundle(DOCS, async () => (await import('./site')).buildGuide('quick'))
