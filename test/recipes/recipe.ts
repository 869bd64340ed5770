/** Follows a recipe of CONTRIBUTING.md on a copy of the tree, and holds it to its list of files. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newFolder, ROOT, run } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'

/** What goes in directly behind a text that is in the file once; without that text the file is a new one. */
export interface Insertion {
  file: string
  behind?: string
  text: string
}

export interface Recipe {
  /** The heading in CONTRIBUTING.md. */
  heading: string
  /** As many files as the house allows. */
  mostFiles: number
  insertions: readonly Insertion[]
  /** The source of a test that shows the addition at work; it is run as `test/recipes/added.test.ts` of the copy. */
  proof?: string
  /** Arguments of `bun test` that do the same. */
  provedBy?: readonly string[]
  /** On both databases. */
  onPostgresToo?: boolean
}

const COPIED = ['src', 'contract', 'client', 'migrations', 'test', 'package.json', 'bunfig.toml']
const PROOF = 'test/recipes/added.test.ts'

export function follow(recipe: Recipe): void {
  const { heading, mostFiles, insertions, proof, provedBy = [PROOF], onPostgresToo } = recipe
  setDefaultTimeout(HANGS_AFTER_MS)

  describe(heading, () => {
    const { path: copy, remove } = newFolder()
    afterAll(remove)
    beforeAll(() => {
      for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true })
      symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
      // The tests of today need not know of the addition.
      const config = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'))
      const checked = ['contract', 'client', 'src', ...(proof ? [PROOF] : [])]
      const exclude = ['client/package/build.ts']
      writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ ...config, include: checked, exclude }))
      for (const insertion of insertions) insert(copy, insertion)
      if (proof) writeFileSync(join(copy, PROOF), proof)
    })

    test('touches the files that the recipe lists, in that order', () => {
      const touched = [...new Set(insertions.map(({ file }) => file))]
      expect(touched).toEqual(filesOf(heading))
      expect(touched.length).toBeLessThanOrEqual(mostFiles)
    })

    test('compiles', async () => {
      const { exitCode, stdout } = await run({ command: [join(ROOT, 'node_modules/.bin/tsc'), '-p', '.'], cwd: copy })
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    })

    test.each(onPostgresToo ? ['sqlite', 'postgres'] : ['sqlite'])('works on %s', async (store) => {
      const env = { ...process.env, TEST_STORE: store }
      const { exitCode, stderr } = await run({
        command: [process.execPath, 'test', ...provedBy, `--timeout=${HANGS_AFTER_MS}`],
        cwd: copy,
        env,
      })
      expect(exitCode === 0 ? '' : stderr).toBe('')
    })
  })
}

function insert(copy: string, { file, behind, text }: Insertion): void {
  const path = join(copy, file)
  if (behind === undefined) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { flag: 'wx' })
    return
  }
  const [before = '', after, ...more] = readFileSync(path, 'utf8').split(behind)
  if (after === undefined || more.length > 0) throw new Error(`${file} does not have this once: ${behind}`)
  writeFileSync(path, `${before}${behind}${text}${after}`)
}

/** The files at the head of each step. */
function filesOf(heading: string): string[] {
  const [, section = ''] = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').split(`\n### ${heading}\n`)
  const [steps = ''] = section.split(/\n##+ /)
  const heads = [...steps.matchAll(/^\d+\. (`[^:]+):/gm)].map(([, head = '']) => head)
  return heads.flatMap((head) => [...head.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file))
}
