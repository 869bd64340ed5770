/** The console's pages from source. `build.ts` replaces this module with the embedded pages. */
import { sourceBundle } from '../bundled'
import { bundleConsole, WEB } from './bundle'

export const bundle = sourceBundle(WEB, () => bundleConsole('quick'))
