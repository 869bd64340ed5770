/** How many files a reader of one request has to open. */
import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

/** It may only shrink. */
const MOST_FILES = 65

test(`POST /issue enters ${MOST_FILES} files or fewer`, async () => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, join(import.meta.dir, 'run.ts'), 'issue'])
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' })
  const trace = stdout.toString()
  // The request is issued, stored and sent.
  for (const file of ['src/usecases/issue-code.ts', 'src/store/sqlite/issues.ts', 'src/providers/simulator.ts'])
    expect(trace).toContain(`${file}\n`)
  const [, files] = trace.match(/(\d+) files, \d+ functions\n$/) ?? []
  expect(Number(files)).toBeLessThanOrEqual(MOST_FILES)
})
