/** `watchword version`: which release this is, and what it was made of. */
import type { Command } from 'commander'
import { VERSION } from '../domain/version'
import { command, jsonOption } from './command'
import { outputFor } from './output'

/** What a binary knows of its making. */
export interface Build {
  /** In full, with `-dirty` where files differed from it; none where it was built without Git. */
  commit: string | null
  /** ISO 8601: the time of the commit, or what `SOURCE_DATE_EPOCH` said, so that a build can be made again. */
  builtAt: string | null
  /** The platform it is for, such as `linux-x64-musl`. */
  target: string
}

/** `build.ts` puts it here. From source there is none. */
declare const WATCHWORD_BUILD: Build | undefined

const build: Build | undefined = typeof WATCHWORD_BUILD === 'undefined' ? undefined : WATCHWORD_BUILD

export const versionCommand = (): Command =>
  command('version', 'print which release this is, and what it was built from', 'version --json')
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) => {
      const { commit = null, builtAt = null, target = null } = build ?? {}
      const about = { version: VERSION, commit, builtAt, target, bun: Bun.version }
      outputFor(json)(about, [lineOf(about)])
    })

type About = { [part in keyof Build]: Build[part] | null } & { version: string; bun: string }

const lineOf = ({ version, commit, builtAt, target, bun }: About) =>
  [
    `watchword ${version}`,
    target ? `for ${target}` : 'from source',
    ...(commit ? [`commit ${commit}`] : []),
    ...(builtAt ? [`built ${builtAt}`] : []),
    `Bun ${bun}`,
  ].join(', ')
