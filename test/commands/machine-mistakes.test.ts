/** What a server says of settings that its machine does not allow: all of it at once, each by its setting and path. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { machineMistakes } from '../../src/system/machine-mistakes'
import { fromSource, newFolder, run } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
afterAll(folder.remove)
const at = (name: string) => join(folder.path, name)

/** The lines behind the first one. */
async function mistakes(data: string, env: Record<string, string> = {}): Promise<string[]> {
  const { exitCode, stderr } = await run(
    fromSource(folder.path, { WATCHWORD_DATA: data, ...env }),
    'serve',
    '--port',
    '0',
  )
  expect(exitCode).toBe(1)
  const { msg } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '{}')
  return String(msg).split('\n  ').slice(1)
}

test('a server names every setting that its machine does not allow, in one start', async () => {
  writeFileSync(at('file'), '')
  expect(
    await mistakes(at('file'), {
      WATCHWORD_HOST: '192.0.2.7',
      WATCHWORD_METRICS_LISTEN: '198.51.100.9:9464',
      WATCHWORD_LOG_LEVEL: 'loud',
      WATCHWORD_DATABASE_REPLICA_URL: 'postgres://127.0.0.1/replica',
    }),
  ).toEqual([
    expect.stringMatching(/^WATCHWORD_LOG_LEVEL: /),
    'WATCHWORD_DATABASE_REPLICA_URL: needs WATCHWORD_DATABASE_URL, whose replica it names',
    'WATCHWORD_HOST: 192.0.2.7 is no address of this machine',
    'WATCHWORD_METRICS_LISTEN: 198.51.100.9 is no address of this machine',
    `WATCHWORD_DATA: ${at('file')} is a file, not a folder`,
  ])
})

test('a server refuses a file that is not a database, and changes nothing', async () => {
  mkdirSync(at('other'))
  writeFileSync(at('other/watchword.db'), 'PNG, or whatever it is')
  expect(await mistakes(at('other'))).toEqual([`WATCHWORD_DATA: ${at('other/watchword.db')} is not a database`])
  expect(await Bun.file(at('other/watchword.db')).text()).toBe('PNG, or whatever it is')
  expect(await Bun.file(at('other/watchword.secret')).exists()).toBe(false)
})

test('a folder that this user cannot write is named, and so is the one in which it would be made', () => {
  mkdirSync(at('locked'))
  // Root may write everywhere.
  for (const dataDir of [at('locked'), at('locked/data/of/ours')])
    expect(machineMistakes({ hosts: {}, dataDir, databaseFile: 'watchword.db' }, () => false)).toEqual([
      ['DATA', expect.stringContaining(`${at('locked')} cannot be written by this user (uid `)],
    ])
})

test('variables of a Kubernetes Service named watchword are no settings', async () => {
  const { exitCode } = await run(
    fromSource(folder.path, {
      ...{
        WATCHWORD_PORT: 'tcp://10.96.0.7:8787',
        WATCHWORD_SERVICE_HOST: '10.96.0.7',
        WATCHWORD_SERVICE_PORT: '8787',
      },
      ...{ WATCHWORD_SERVICE_PORT_HTTP: '8787', WATCHWORD_PORT_8787_TCP: 'tcp://10.96.0.7:8787' },
      ...{
        WATCHWORD_PORT_8787_TCP_PROTO: 'tcp',
        WATCHWORD_PORT_8787_TCP_PORT: '8787',
        WATCHWORD_PORT_8787_TCP_ADDR: '10.96.0.7',
      },
    }),
    ...['app', 'create', 'shop', '--data', at('pod')],
  )
  expect(exitCode).toBe(0)
})
