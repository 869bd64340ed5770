/** How commands answer: `lines` for people; `value` with `--json`, as one JSON object. */
import type { styleText } from 'node:util'

export type Output = (value: object, lines: string[]) => void

export const outputFor =
  (json: boolean | undefined): Output =>
  (value, lines) => {
    if (!process.stdout.listeners('error').includes(unread)) process.stdout.on('error', unread)
    process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`)
  }

/** A reader such as `head` or a pager closes the pipe when it has enough. That is no mistake. */
const unread = ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1)

/** A stored instant as people read it. */
export const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

/** Only where a terminal shows it and `NO_COLOR` does not forbid it. */
export const styled = (style: Parameters<typeof styleText>[0], text: string) =>
  process.getBuiltinModule('node:util').styleText(style, text, { stream: process.stdout })

type Cell = string | number | undefined

/** A list as people read it: headers and a line each. Where there is nothing, what is missing and how to make one. */
export function table(headers: readonly string[], rows: ReadonlyArray<readonly Cell[]>, nothing: string): string[] {
  if (rows.length === 0) return [nothing]
  const texts = rows.map((row) => row.map((cell) => String(cell ?? '–').replaceAll('\n', ' ⏎ ')))
  const widths = headers.map((header, column) =>
    Math.max(...[header, ...texts.map((row) => row[column] ?? '')].map((text) => Bun.stringWidth(text))),
  )
  const line = (cells: readonly string[]) => cells.map((cell, column) => padEnd(cell, widths[column] ?? 0)).join('  ')
  return [styled('bold', line(headers).trimEnd()), ...texts.map((row) => line(row).trimEnd())]
}

/** To a width on the screen, where Korean takes two columns and a style none. */
const padEnd = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - Bun.stringWidth(text)))
