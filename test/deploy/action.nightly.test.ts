/** The action for hosted CI, its steps played as a runner plays them. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SUMS, sha256 } from '../../deploy/release/sign'
import { VERSION } from '../../src/domain/operations/version'
import { released } from '../binary/compiled'
import { type Json, newFolder, ROOT, run } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
afterAll(() => folder.remove())
const action = Bun.YAML.parse(readFileSync(join(ROOT, 'deploy/action/action.yml'), 'utf8')) as Json
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
