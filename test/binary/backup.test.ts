import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { HANGS_AFTER_MS } from '../support/until'
import { newFolder, programIn, run, runJson, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const program = programIn(folder.path)
afterAll(folder.remove)

test('a backup made beside the running server starts a server that knows the same', async () => {
  const { appId } = await runJson(program, 'app', 'create', 'shop')
  await runJson(program, 'credit', 'add', '--app', appId, '--amount', '7')
  const server = await Server.start(program)
  const { name, bytes } = await runJson(program, 'backup')
  await server.stop()
  expect(bytes).toBeGreaterThan(1_000)

  const restored = newFolder()
  const data = join(restored.path, 'watchword-data')
  mkdirSync(data)
  copyFileSync(join(folder.path, 'watchword-data/backups', name), join(data, 'watchword.db'))
  copyFileSync(join(folder.path, 'watchword-data/watchword.secret'), join(data, 'watchword.secret'))
  const { apps } = await runJson(programIn(restored.path), 'app', 'list')
  expect(apps).toMatchObject([{ appId, balance: 7 }])
  restored.remove()
})

test('the newest copies stay, as many as asked for', async () => {
  for (let n = 0; n < 3; n++) expect((await run(program, 'backup', '--keep', '2')).exitCode).toBe(0)
  expect(readdirSync(join(folder.path, 'watchword-data/backups'))).toHaveLength(2)
})
