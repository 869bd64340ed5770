/** Reads the prose of every page, as `check` does, and fails where a sentence breaks a rule. */
import { join } from 'node:path'
import { Glob } from 'bun'
import { lintProse } from './lint'

const ROOT = join(import.meta.dir, '../..')
const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/**/*.md']

const names = PAGES.flatMap((pattern) => [...new Glob(pattern).scanSync(ROOT)]).toSorted()
const problems = await Promise.all(names.map(async (name) => lintProse(name, await Bun.file(join(ROOT, name)).text())))
for (const problem of problems.flat()) console.error(problem)
console.log(`Read ${names.length} pages: ${problems.flat().length} problems in their prose.`)
process.exit(problems.flat().length === 0 ? 0 : 1)
