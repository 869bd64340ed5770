/** What a benchmark says: tables for people, JSON for programs, and goals with how far each is. */
import { cpus, totalmem } from 'node:os'

export const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Bun ${Bun.version}`

export interface Goal {
  name: string
  /** As measured, in one number. */
  value: number
  target: number
  /** Whether more is better. */
  atLeast: boolean
}

export interface Part {
  title: string
  columns: string[]
  rows: string[][]
  goals: Goal[]
  /** Everything that was measured. */
  data: unknown
}

export const atLeast = (name: string, value: number, target: number): Goal => ({ name, value, target, atLeast: true })
export const atMost = (name: string, value: number, target: number): Goal => ({ name, value, target, atLeast: false })

const isMet = ({ value, target, atLeast: more }: Goal) => (more ? value >= target : value <= target)

export function table({ title, columns, rows }: Part): string {
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0))).join(' | ')} |`
  const rule = `|${widths.map((width, index) => (index === 0 ? `${'-'.repeat(width + 2)}` : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [`\n${title}\n`, line(columns), rule, ...rows.map(line)].join('\n')
}

const shown = (value: number) => (Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2))

export const goalTable = (parts: readonly Part[]): string =>
  table({
    title: 'Goals',
    columns: ['goal', 'measured', 'target', ''],
    rows: parts
      .flatMap(({ goals }) => goals)
      .map((goal) => [
        goal.name,
        shown(goal.value),
        `${goal.atLeast ? '≥' : '≤'} ${shown(goal.target)}`,
        isMet(goal) ? 'met' : `missed, ${shown(goal.value / goal.target)} of it`,
      ]),
    goals: [],
    data: undefined,
  })
