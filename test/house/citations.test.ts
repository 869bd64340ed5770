/** What comments point to is in the repository. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '../..')
const decisions = await Bun.file(join(ROOT, 'docs/decisions.md')).text()
const headings = new Set([...decisions.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading))

test('every decision that code cites stands under its heading in docs/decisions.md', async () => {
  const cited: Array<[string, string]> = []
  for (const name of new Glob('{src,contract,client}/**/*.{ts,tsx}').scanSync(ROOT)) {
    const text = (await Bun.file(join(ROOT, name)).text()).replace(/\n\s*\*\s*|\n\s*\/\/\s*/g, ' ')
    for (const [, quoted, bare = ''] of text.matchAll(/(?:[Dd]ecisions: ((?:"[^"]+"(?:, )?)+)|\bDecisions: (\w+))/g))
      for (const heading of quoted?.matchAll(/"([^"]+)"/g) ?? [[bare, bare]]) cited.push([name, heading[1] ?? ''])
  }
  expect(cited.length).toBeGreaterThan(20)
  expect(cited.filter(([, heading]) => !headings.has(heading))).toEqual([])
})
