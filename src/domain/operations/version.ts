/** The version of this build. */
import { version } from '../../../package.json'

/** Facts about how a binary was built. */
export interface Build {
  /** A release such as `0.2.0`, or what comes before one: `0.2.0-dev.17+` and its commit. */
  version: string
  /** In full, with `-dirty` where files differed from it; none where it was built without Git. */
  commit: string | null
  /** ISO 8601: the time of the commit, or what `SOURCE_DATE_EPOCH` said, so that a build can be made again. */
  builtAt: string | null
  /** The platform it is for, such as `linux-x64-musl`. */
  target: string
}

/** `build.ts` puts it here. From source there is none. */
declare const WATCHWORD_BUILD: Build | undefined

export const BUILD: Build | undefined = typeof WATCHWORD_BUILD === 'undefined' ? undefined : WATCHWORD_BUILD

export const VERSION: string = BUILD?.version ?? version
