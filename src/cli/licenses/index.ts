/** `watchword licenses`: the notices that those ask for whose code this program carries. */
import type { Command } from 'commander'
import { command, jsonOption } from '../command'
import { outputFor } from '../output'

export const licensesCommand = (): Command =>
  command(
    'licenses',
    'print the licences of all that is in this program',
    'licenses | less',
    "licenses --json | jq '.packages[] | {name, version, license}'",
  )
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const { readNotice, linesOf } = await import('./notice')
      const notice = await readNotice()
      outputFor(json)(notice, linesOf(notice))
    })
