/** The console's pages from source; `build.ts` puts those that the binary carries in this module's place. */
import { sourceBundle } from '../bundled'
import { bundleConsole, WEB } from './bundle'

export const bundle = sourceBundle(WEB, () => bundleConsole('quick'))
