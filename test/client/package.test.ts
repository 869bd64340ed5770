import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromSource, newFolder, ROOT, run, runJson, Server } from '../binary/support'

const folder = newFolder()
let server: Server

beforeAll(async () => {
  const built = await run({
    command: [process.execPath, 'run', 'build:client'],
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '' },
  })
  expect(built.stderr).not.toContain('error')
  expect(built.exitCode).toBe(0)
  server = await Server.start(fromSource(folder.path), '--data', join(folder.path, 'data'))
}, 60_000)
afterAll(async () => {
  await server.stop()
  folder.remove()
})

test('the built client runs in Node', async () => {
  const program = fromSource(folder.path)
  const data = join(folder.path, 'data')
  const { appId } = await runJson(program, 'app', 'create', 'node', '--data', data)
  const { key } = await runJson(
    program,
    'key',
    'create',
    '--app',
    appId,
    '--kind',
    'sk',
    '--mode',
    'test',
    '--data',
    data,
  )
  const script = `
    import { createOtpClient, newIdempotencyKey } from ${JSON.stringify(join(ROOT, 'dist/client/index.js'))}
    const otp = createOtpClient({ baseUrl: ${JSON.stringify(`${server.url}/v1`)}, apiKey: ${JSON.stringify(key)} })
    const { issueId } = await otp.issue({ phoneNumber: '010-0000-0000', purpose: 'node', idempotencyKey: newIdempotencyKey() })
    console.log(JSON.stringify(await otp.verify({ issueId, code: '000000' })))`
  const node = {
    command: ['node', '--input-type=module', '-e', script],
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? '' },
  }
  const { exitCode, stdout, stderr } = await run(node)
  expect(stderr).toBe('')
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ verified: true, mode: 'test' })
}, 30_000)

test.each([
  ['esnext', 'bundler', '@watchword/client'],
  ['nodenext', 'nodenext', '@watchword/client'],
  ['esnext', 'bundler', join(ROOT, 'dist/client/index.js')],
])(
  'its types are those of the contract, and catch mistakes: %s, %s, %s',
  async (module, resolution, specifier) => {
    const consumer = join(folder.path, 'consumer')
    rmSync(join(consumer, 'node_modules'), { recursive: true, force: true })
    mkdirSync(join(consumer, 'node_modules/@watchword'), { recursive: true })
    symlinkSync(join(ROOT, 'dist/client'), join(consumer, 'node_modules/@watchword/client'))
    writeFileSync(join(consumer, 'package.json'), '{"type":"module"}')
    writeFileSync(
      join(consumer, 'app.ts'),
      `import { createOtpClient } from '${specifier}'
     const otp = createOtpClient({ baseUrl: 'x', apiKey: 'y' })
     const issued = await otp.issue({ phoneNumber: '1', purpose: 'p', idempotencyKey: 'k', channel: 'alimtalk' })
     const id: string = issued.issueId
     const verdict = await otp.verify({ issueId: id, code: '000000' })
     const reason: 'MISMATCH' | 'EXPIRED' | 'NOT_FOUND' | 'REPLACED' | 'MAX_ATTEMPTS' | 'ALREADY_VERIFIED' | undefined = verdict.reasonCode
     // @ts-expect-error an idempotency key is required
     await otp.issue({ phoneNumber: '1', purpose: 'p' })
     // @ts-expect-error no such channel
     await otp.issue({ phoneNumber: '1', purpose: 'p', idempotencyKey: 'k', channel: 'pigeon' })
     export { reason }`,
    )
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      module,
      '--moduleResolution',
      resolution,
      '--target',
      'esnext',
      '--skipLibCheck',
    ]
    const tsc = {
      command: [join(ROOT, 'node_modules/.bin/tsc'), ...options, '--types', '', 'app.ts'],
      cwd: consumer,
      env: { PATH: process.env.PATH ?? '' },
    }
    const { exitCode, stdout } = await run(tsc)
    expect(stdout).toBe('')
    expect(exitCode).toBe(0)
  },
  30_000,
)
