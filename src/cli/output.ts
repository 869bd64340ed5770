/** Output of commands: `lines` for people, `value` as one JSON object with `--json`. */
import type { styleText } from 'node:util'

export type Output = (value: object, lines: string[]) => void

export const outputFor =
  (json: boolean | undefined): Output =>
  (value, lines) => {
    if (!process.stdout.listeners('error').includes(unread)) process.stdout.on('error', unread)
    process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`)
  }

/** `head` or a pager closes the pipe early, which is not an error. */
const unread = ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1)

/** A stored instant as people read it. */
export const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

/** Styles text only on a terminal and without `NO_COLOR`. */
export const styled = (style: Parameters<typeof styleText>[0], text: string) =>
  process.getBuiltinModule('node:util').styleText(style, text, { stream: process.stdout })

type Cell = string | number | undefined

/** A table for people. If it is empty, prints what is missing and how to create it. */
export function table(headers: readonly string[], rows: ReadonlyArray<readonly Cell[]>, nothing: string): string[] {
  if (rows.length === 0) return [nothing]
  const texts = rows.map((row) => row.map((cell) => String(cell ?? '–').replaceAll('\n', ' ⏎ ')))
  const widths = headers.map((header, column) =>
    Math.max(...[header, ...texts.map((row) => row[column] ?? '')].map((text) => Bun.stringWidth(text))),
  )
  const line = (cells: readonly string[]) => cells.map((cell, column) => padEnd(cell, widths[column] ?? 0)).join('  ')
  return [styled('bold', line(headers).trimEnd()), ...texts.map((row) => line(row).trimEnd())]
}

/** Pads to a display width: Korean characters take two columns, style codes none. */
const padEnd = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - Bun.stringWidth(text)))
