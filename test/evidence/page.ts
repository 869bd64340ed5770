/** The figures of docs/evidence.md: what is kept of each, and how the page shows them. */
import { type Evidence, FIGURES, type Figure } from '../support/evidence'

/** The newest of each that has been told. */
export interface Figures {
  seen: Partial<Record<Figure, Pick<Evidence, 'count' | 'commit' | 'at'>>>
  /** Known vulnerabilities of dependencies; undefined where the registry did not answer. */
  audit: { at: number; found: number | undefined }
  licenses: { at: number; count: Record<string, number> }
}

export const BEGIN = '<!-- figures -->'
export const END = '<!-- end of figures -->'

/** @throws Error for what was seen on another tree than `commit`. */
export function newest(known: Figures['seen'], told: readonly Evidence[], commit: string): Figures['seen'] {
  const seen = { ...known }
  const added = new Map<Figure, number>()
  for (const { what, count, at, ...one } of told) {
    if (one.commit !== commit) throw new Error(`This was seen on ${one.commit}, and the tree is ${commit}`)
    added.set(what, (added.get(what) ?? 0) + count)
    seen[what] = { count: added.get(what) ?? 0, commit, at }
  }
  return seen
}

const day = (at: number) => new Date(at).toISOString().slice(0, 10)
const number = new Intl.NumberFormat('en').format

export function tableOf({ seen, audit, licenses }: Figures): string {
  const rows = Object.entries(FIGURES).map(([what, words]) => {
    const one = seen[what as Figure]
    return one
      ? `| ${words} | ${number(one.count)} | ${day(one.at)} | \`${one.commit.slice(0, 12)}\` |`
      : `| ${words} | not played yet | | |`
  })
  const found = audit.found === undefined ? 'not asked: the registry did not answer' : number(audit.found)
  const byLicense = Object.entries(licenses.count)
    .sort(([, a], [, b]) => b - a)
    .map(([license, count]) => `${license} ${count}`)
    .join(', ')
  return [
    '| what | count | day | commit |',
    '|---|---|---|---|',
    ...rows,
    `| Known vulnerabilities of the dependencies, by the registry's audit | ${found} | ${day(audit.at)} | |`,
    `| Licences of what is in the binary | ${byLicense} | ${day(licenses.at)} | |`,
  ].join('\n')
}

export function withTable(page: string, table: string): string {
  const [head, rest] = page.split(BEGIN)
  const tail = rest?.split(END)[1]
  if (head === undefined || tail === undefined) throw new Error(`The page has no ${BEGIN} and ${END}`)
  return `${head}${BEGIN}\n\n${table}\n\n${END}${tail}`
}
