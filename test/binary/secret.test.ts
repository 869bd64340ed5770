/** The key file of the data folder is changed beside the server, which is not told. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, existsSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { HANGS_AFTER_MS, until } from '../support/until'
import { newFolder, programIn, run, runJson, Server, StubCarrier } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const carrier = new StubCarrier()
const program = programIn(folder.path)
const keyFile = join(folder.path, 'watchword-data', 'watchword.secret')
const stolen = join(folder.path, 'stolen')
let running: Server | undefined

afterAll(async () => {
  await running?.stop()
  await carrier.stop()
  folder.remove()
})

test('a running server goes on with what it has, and with the next secret when it starts again', async () => {
  const { appId } = await runJson(program, 'app', 'create', 'shop')
  const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live')
  await runJson(program, 'credit', 'add', '--app', appId, '--amount', '10')
  await runJson(program, 'provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', carrier.url)
  let server = await Server.start(program)
  running = server
  const issue = async (n: number) => {
    const request = { phoneNumber: `010-1234-567${n}`, purpose: 'login', idempotencyKey: `one-${n}` }
    const { status, body } = await server.call('POST', '/v1/issue', key, request)
    await until(() => carrier.codeFor(`+82101234567${n}`), 'a text')
    return { status, issueId: body.issueId, code: carrier.codeFor(`+82101234567${n}`) }
  }
  const verified = async ({ issueId, code }: { issueId: string; code: string }) =>
    (await server.call('POST', '/v1/verify', key, { issueId, code })).body.verified

  const before = await issue(1)
  copyFileSync(keyFile, stolen)
  expect(await runJson(program, 'secret', 'rotate')).toMatchObject({ finished: true, older: 0 })
  expect(readFileSync(keyFile, 'utf8')).not.toBe(readFileSync(stolen, 'utf8'))
  expect([statSync(keyFile).mode & 0o777, existsSync(`${keyFile}.next`)]).toEqual([0o600, false])
  const after = await issue(2)
  expect([after.status, await verified(before), await verified(after)]).toEqual([200, true, true])
  const kept = await issue(3)
  await server.stop()
  server = await Server.start(program)
  running = server
  expect(await verified(kept)).toBe(true)
  expect(server.stderr).not.toContain(readFileSync(keyFile, 'utf8').trim())

  renameSync(stolen, keyFile)
  const refused = await run(program, 'app', 'list')
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('does not open this database')])
})
