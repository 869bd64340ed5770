/**
 * `bun run chart`: renders the chart by `helm template`, for those who use no Helm, into `sqlite.yaml` and `postgres.yaml`. Each
 * file begins with the hash of what it was made of, by which a test finds one that is older than the chart.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'bun'

const ROOT = join(import.meta.dir, '../..')
export const CHART = 'deploy/kubernetes/chart'
const OF_TESTS = 'test/deploy/chart'

export interface Rendering {
  file: string
  /** Arguments of `helm template`. */
  options: readonly string[]
}

export const RENDERINGS: readonly Rendering[] = [
  { file: 'deploy/kubernetes/sqlite.yaml', options: ['--set', 'store=sqlite'] },
  { file: 'deploy/kubernetes/postgres.yaml', options: ['--set', 'store=postgres'] },
  { file: `${OF_TESTS}/everything.yaml`, options: ['--values', `${OF_TESTS}/everything.values.yaml`] },
]

export const chartFiles = (): string[] =>
  (readdirSync(join(ROOT, CHART), { recursive: true }) as string[])
    .filter((name) => statSync(join(ROOT, CHART, name)).isFile())
    .sort()

/** Hash of the chart and of what it is rendered with. */
export function sourceHash({ options }: Rendering): string {
  const hash = createHash('sha256')
  for (const name of chartFiles()) hash.update(`${name}\n${readFileSync(join(ROOT, CHART, name), 'utf8')}`)
  for (const option of options)
    hash.update(option.endsWith('.yaml') ? readFileSync(join(ROOT, option), 'utf8') : option)
  return hash.digest('hex')
}

/** Undefined where there is no Helm. */
export function render({ options }: Rendering): string | undefined {
  const helm = Bun.which('helm')
  if (helm === null) return undefined
  const command = [helm, 'template', 'watchword', CHART, '--kube-version', '1.31.0', ...options]
  const { exitCode, stdout, stderr } = spawnSync(command, { cwd: ROOT })
  if (exitCode !== 0) throw new Error(stderr.toString())
  return stdout.toString()
}

export const headed = (rendering: Rendering, text: string): string =>
  `# Rendered from ${CHART} by \`bun run chart\`: change the chart, not this file. Sources: ${sourceHash(rendering)}\n${text}`

if (import.meta.main)
  for (const rendering of RENDERINGS) {
    const text = render(rendering)
    if (text === undefined) throw new Error('`helm` is not on the PATH')
    writeFileSync(join(ROOT, rendering.file), headed(rendering, text))
  }
