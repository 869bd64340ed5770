/** The third-party notice: embedded in the binary, or collected from source. */
import type { Component, Notice } from './component'
import { embedded } from './embedded'

export async function readNotice(): Promise<Notice> {
  if (embedded !== undefined) return Bun.file(embedded).json()
  const { collectNotice } = await import('./collect')
  return collectNotice()
}

const RULE = '─'.repeat(80)

export function linesOf({ program, runtime, packages }: Notice): string[] {
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
