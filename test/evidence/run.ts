/**
 * `bun run evidence [FILE]`: renews docs/evidence.md by what a run has told, which nightly keeps in `dist/evidence.jsonl`. It also
 * asks the registry for known vulnerabilities, and counts licences. What was not seen keeps its older figure.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'bun'
import { collectNotice } from '../../deploy/release/licenses/collect'
import type { Evidence } from '../support/evidence'
import figures from './figures.json'
import { type Figures, newest, tableOf, withTable } from './page'

const ROOT = join(import.meta.dir, '../..')
const PAGE = join(ROOT, 'docs/evidence.md')

const file = process.argv[2] ?? join(ROOT, 'dist/evidence.jsonl')
const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean) : []
const told: Evidence[] = lines.map((line) => JSON.parse(line))
const commit = spawnSync(['git', 'rev-parse', 'HEAD'], { cwd: ROOT }).stdout.toString().trim()

/** The answer lists the advisories of each package. */
function knownVulnerabilities(): number | undefined {
  const { stdout } = spawnSync([process.execPath, 'audit', '--json'], { cwd: ROOT, timeout: 60_000 })
  try {
    return Object.values(JSON.parse(stdout.toString()) as Record<string, unknown[]>).flat().length
  } catch {
    return undefined
  }
}

const { packages } = await collectNotice()
const count: Record<string, number> = {}
for (const { license } of packages) count[license] = (count[license] ?? 0) + 1
const renewed: Figures = {
  seen: newest(figures.seen, told, commit),
  audit: { at: Date.now(), found: knownVulnerabilities() },
  licenses: { at: Date.now(), count },
}
writeFileSync(join(import.meta.dir, 'figures.json'), `${JSON.stringify(renewed, undefined, 2)}\n`)
writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), tableOf(renewed)))
