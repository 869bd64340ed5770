/** One server a data folder, whatever is done to the files in it; and no core file of a server. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, programIn, run, runJson, Server } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

let folder: ReturnType<typeof newFolder>
let server: Server
beforeEach(async () => {
  folder = newFolder()
  server = await Server.start(programIn(folder.path))
})
afterEach(async () => {
  await server.stop('SIGKILL')
  folder.remove()
})

test('a removed or replaced lock file does not let a second server in', async () => {
  const lock = join(folder.path, 'watchword-data', 'serve.lock')
  const second = async () => {
    const { exitCode, stderr } = await run(programIn(folder.path), 'serve', '--port', '0')
    return { exitCode, isTold: stderr.includes('Another server runs on') }
  }
  rmSync(lock)
  expect(await second()).toEqual({ exitCode: 1, isTold: true })
  rmSync(lock)
  writeFileSync(lock, '')
  expect(await second()).toEqual({ exitCode: 1, isTold: true })
  // Whoever was killed holds nothing.
  await server.stop('SIGKILL')
  server = await Server.start(programIn(folder.path))
  expect(await runJson(programIn(folder.path), 'healthcheck', '--url', server.url)).toBeObject()
})

test('a server leaves no core file, which would hold the master secret', () => {
  expect(readFileSync(`/proc/${server.child.pid}/limits`, 'utf8')).toMatch(/^Max core file size +0 +0 /m)
})
