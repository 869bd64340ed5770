/** How many files a reader of one request has to open. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { sharedPostgres } from '../support/postgres'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const database = await (await sharedPostgres()).database()
afterAll(() => database.drop())
const OVER_POSTGRES = { WATCHWORD_DATABASE_URL: database.url, WATCHWORD_SECRET: Buffer.alloc(32).toString('base64') }

/** They may only shrink. Here a request is issued, stored and sent, here it is verified, and here it is looked up. */
test.each([
  [
    'POST /issue of a test key',
    ['issue'],
    {},
    63,
    ['usecases/issue-code.ts', 'store/issues.ts', 'providers/simulator.ts'],
  ],
  [
    'POST /issue of a live key',
    ['issue', '--live'],
    {},
    84,
    ['store/sqlite/connection/writer.ts', 'providers/described.ts'],
  ],
  ['POST /verify', ['verify', '--live'], {}, 45, ['usecases/verify-code.ts', 'domain/verification/verification.ts']],
  ['GET /issues/{issueId}', ['status', '--live'], {}, 32, ['store/issues.ts']],
  ['POST /issue over PostgreSQL', ['issue', '--live'], OVER_POSTGRES, 87, ['store/postgres/connection/pool.ts']],
  ['POST /verify over PostgreSQL', ['verify', '--live'], OVER_POSTGRES, 46, ['usecases/verify-code.ts']],
])('%s enters few files', (_, asked, env, most, entered) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, join(import.meta.dir, 'run.ts'), ...asked], {
    env: { ...process.env, WATCHWORD_DATABASE_URL: undefined, ...env },
  })
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' })
  const trace = stdout.toString()
  for (const file of entered) expect(trace).toContain(`src/${file}\n`)
  const [, files] = trace.match(/(\d+) files, \d+ functions\n$/) ?? []
  expect(Number(files)).toBeLessThanOrEqual(most)
})
