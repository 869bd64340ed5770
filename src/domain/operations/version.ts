/** The version of this build. */
import { version } from '../../../package.json'

/** How the binary was built. */
export interface Build {
  /** A release such as `0.2.0`, or a development build: `0.2.0-dev.17+` and its commit. */
  version: string
  /** Full commit hash, with `-dirty` where files differed; null where it was built without Git. */
  commit: string | null
  /** ISO 8601: the time of the commit, or `SOURCE_DATE_EPOCH`, so that builds are reproducible. */
  builtAt: string | null
  /** Target platform, such as `linux-x64-musl`. */
  target: string
}

/** `build.ts` defines it; it is undefined when run from source. */
declare const WATCHWORD_BUILD: Build | undefined

export const BUILD: Build | undefined = typeof WATCHWORD_BUILD === 'undefined' ? undefined : WATCHWORD_BUILD

export const VERSION: string = BUILD?.version ?? version
