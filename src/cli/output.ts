/** How commands answer: `lines` for people; `value` with `--json`, as one JSON object. */
export type Output = (value: object, lines: string[]) => void

export const outputFor =
  (json: boolean | undefined): Output =>
  (value, lines) => {
    process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`)
  }

/** A stored instant as people read it. */
export const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())
