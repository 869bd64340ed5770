/**
 * Follows the recipes of CONTRIBUTING.md, one after the other on one copy of the tree: together they compile, and each works.
 * One copy for all costs one check of the types instead of seven.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newFolder, ROOT, run } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'
import { carrier } from './carrier'
import { channel } from './channel'
import type { Insertion, Recipe } from './recipe'
import { rule } from './rule'
import { storedField } from './stored-field'
import { table } from './table'
import { text } from './text'
import { webhookEvent } from './webhook-event'

setDefaultTimeout(HANGS_AFTER_MS)

const RECIPES: readonly Recipe[] = [storedField, webhookEvent, channel, carrier, rule, table, text]
const COPIED = ['src', 'contract', 'client', 'migrations', 'test', 'package.json', 'bunfig.toml']

const { path: copy, remove } = newFolder()
afterAll(remove)
beforeAll(() => {
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  // The tests of today need not know of the additions.
  const config = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'))
  const proofs = RECIPES.filter(({ proof }) => proof).map(proofFile)
  const exclude = ['client/package/build.ts']
  const include = ['contract', 'client', 'src', ...proofs]
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ ...config, include, exclude }))
  for (const recipe of RECIPES) {
    for (const insertion of recipe.insertions) insert(insertion)
    if (recipe.proof) writeFileSync(join(copy, proofFile(recipe)), recipe.proof)
  }
})

test('together they compile', async () => {
  const { exitCode, stdout } = await run({ command: [join(ROOT, 'node_modules/.bin/tsc'), '-p', '.'], cwd: copy })
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
})

describe.each(RECIPES.map((recipe) => ({ name: recipe.heading, recipe })))('$name', ({ recipe }) => {
  test('touches the files that the recipe lists, in that order', () => {
    const touched = [...new Set(recipe.insertions.map(({ file }) => file))]
    expect(touched).toEqual(filesOf(recipe.heading))
    expect(touched.length).toBeLessThanOrEqual(recipe.mostFiles)
  })

  test.each(recipe.onPostgresToo ? ['sqlite', 'postgres'] : ['sqlite'])('works on %s', async (store) => {
    const provedBy = recipe.provedBy ?? [proofFile(recipe)]
    const { exitCode, stderr } = await run({
      command: [process.execPath, 'test', ...provedBy, `--timeout=${HANGS_AFTER_MS}`],
      cwd: copy,
      env: { ...process.env, TEST_STORE: store },
    })
    expect(exitCode === 0 ? '' : stderr).toBe('')
  })
})

/** A proof is run as this file of the copy. */
const proofFile = ({ heading }: Recipe) => `test/recipes/${heading.toLowerCase().replaceAll(' ', '-')}-added.test.ts`

function insert({ file, behind, text }: Insertion): void {
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
