/** What this release is called. */
import { version } from '../../package.json'

export const VERSION: string = version
