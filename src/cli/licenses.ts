/** `watchword licenses` prints the licence notices of all embedded code. The build collects them. */
import type { Command } from 'commander'
import { command, jsonOption } from './command'
import { embedded } from './embedded-notice'
import { Failure, outputFor } from './output'

/** A package with its licence. */
export interface Component {
  name: string
  version: string
  /** An SPDX expression. */
  license: string
  /** Copyright, the full licence text and the notices that it requires. */
  text: string
  /** Unusual origin of the package or of its licence text. */
  note?: string
}

export interface LicenseNotice {
  program: Component
  /** Bun, which the binary embeds. */
  runtime: Component
  packages: Component[]
}

export const licensesCommand = (): Command =>
  command(
    'licenses',
    'print the licences of all software in this program',
    'licenses | less',
    "licenses --json | jq '.packages[] | {name, version, license}'",
  )
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      if (embedded === undefined)
        throw new Failure('unavailable', 'The licences are collected when the program is built: bun run build')
      const notice: LicenseNotice = await Bun.file(embedded).json()
      outputFor(json)(notice, linesOf(notice))
    })

const RULE = '─'.repeat(80)

export function linesOf({ program, runtime, packages }: LicenseNotice): string[] {
  const about = `${program.name} carries Bun and code of ${packages.length} packages; their licences follow its own.`
  return [about, ...[program, runtime, ...packages].flatMap(linesOfOne)]
}

export const linesOfOne = ({ name, version, license, text, note }: Component): string[] => [
  RULE,
  `${name} ${version} · ${license}`,
  ...(note === undefined ? [] : [note]),
  '',
  text,
]
