/** The pages as the binary carries them. From source there are none; `build.ts` puts them in this module's place. */
import type { BundledFile } from './bundle'

/** Where the bytes of a file lie inside the binary. */
export type EmbeddedFile = Pick<BundledFile, 'name' | 'type'> & Record<'br' | 'gzip', string>

export const embedded: readonly EmbeddedFile[] | undefined = undefined
