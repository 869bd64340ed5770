/** `watchword version` prints the release and the facts of its build. */
import type { Command } from 'commander'
import { BUILD, type Build, VERSION } from '../domain/operations/version'
import { command, jsonOption } from './command'
import { outputFor } from './output'

export const versionCommand = (): Command =>
  command('version', 'print the release and its build', 'version --json')
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) => {
      const { commit = null, builtAt = null, target = null } = BUILD ?? {}
      const about: BuildFacts = { version: VERSION, commit, builtAt, target, bun: Bun.version }
      outputFor(json)(about, [lineOf(about)])
    })

type BuildFacts = { [part in Exclude<keyof Build, 'version'>]: Build[part] | null } & { version: string; bun: string }

const lineOf = ({ version, commit, builtAt, target, bun }: BuildFacts) =>
  [
    `watchword ${version}`,
    target ? `for ${target}` : 'from source',
    ...(commit ? [`commit ${commit}`] : []),
    ...(builtAt ? [`built ${builtAt}`] : []),
    `Bun ${bun}`,
  ].join(', ')
