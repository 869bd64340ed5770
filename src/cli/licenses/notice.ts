/** The third-party notice: embedded in the binary, or collected from source. */
import { embedded } from './embedded'

/** One work with its licence. */
export interface Component {
  name: string
  version: string
  /** An SPDX expression. */
  license: string
  /** Copyright and licence in full, with what the licence asks to be told beside it. */
  text: string
  /** How it comes to be here, or where its text is from, if not as usual. */
  note?: string
}

export interface Notice {
  program: Component
  /** Bun, which the binary is made with and carries. */
  runtime: Component
  packages: Component[]
}

export async function readNotice(): Promise<Notice> {
  if (embedded !== undefined) return Bun.file(embedded).json()
  const { collectNotice } = await import('./collect')
  return collectNotice()
}

const RULE = '─'.repeat(80)

export function linesOf({ program, runtime, packages }: Notice): string[] {
  const about = `${program.name} carries Bun and code of ${packages.length} packages; their licences follow its own.`
  return [
    about,
    ...[program, runtime, ...packages].flatMap(({ name, version, license, text, note }) => [
      RULE,
      `${name} ${version} · ${license}`,
      ...(note === undefined ? [] : [note]),
      '',
      text,
    ]),
  ]
}
