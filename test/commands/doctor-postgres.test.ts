/** What the doctor says of a PostgreSQL that is not as it should be. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { checkClocks } from '../../src/cli/doctor/clock'
import type { DoctorFinding, SharedInstallation } from '../../src/cli/doctor/finding'
import {
  checkArchive,
  checkConnections,
  checkDatabase,
  checkNodes,
  checkTls,
  examinePostgres,
} from '../../src/cli/doctor/postgres'
import { readConfig } from '../../src/config'
import { NODE_GONE_MS, type NodeState } from '../../src/domain/operations/node'
import type { Store } from '../../src/ports/store'
import type { ServerReport } from '../../src/store/postgres/inspect'
import { openStore } from '../../src/store/postgres/open'
import { systemClock } from '../../src/system/clock'
import { createVault } from '../../src/system/vault'
import { Postgres } from '../support/postgres'
import { HANGS_AFTER_MS, until } from '../support/until'
import { CA, CERT, KEY } from '../system/certificate'

setDefaultTimeout(HANGS_AFTER_MS)

const NOW = Date.parse('2027-01-31T12:00:00Z')
const WELL: ServerReport = {
  ...{
    name: 'postgres://db.example/there',
    version: '18.4',
    isPrimary: true,
    behindMs: 0,
    connections: 97,
    isPooled: false,
  },
  ...{ encryption: 'TLSv1.3', checking: 'certificate and name', schema: { version: 1, needs: 1 } },
  ...{ clockLead: { ms: 3, within: 2 }, archive: { isOn: true, isFailing: false } },
}
const aNode = (more: Partial<NodeState> = {}): NodeState => ({
  ...{ nodeId: 'n', name: 'here:1', version: '0.1.0', startedAt: NOW, seenAt: NOW, isLeaving: false, lagMs: 0 },
  ...more,
})

const installation = (server: Partial<ServerReport>, nodes: NodeState[] = [aNode()]): SharedInstallation => ({
  ...{ config: readConfig({}), now: NOW, pool: 16, server: { ...WELL, ...server } },
  store: {
    read: { nodes: async () => nodes, size: async () => 0 },
    assertWritable: () => Promise.reject(new Error('read-only')),
  } as unknown as Store,
})

const lines = (found: DoctorFinding[]) => found.map(({ state, message }) => `${state}: ${message}`)

describe('TLS', () => {
  test.each<[Partial<ServerReport>, RegExp]>([
    [{}, /^ok: .*certificate and name are right/],
    [{ encryption: undefined, checking: 'no TLS' }, /^warn: .*is not encrypted\.$/],
    [{ encryption: undefined, checking: 'no TLS', name: 'postgres://ann@127.0.0.1:5432/x' }, /^ok: .*this machine/],
    [{ checking: 'no TLS' }, /^warn: .*nothing asks for that/],
    [{ checking: 'nothing' }, /^warn: .*no certificate is looked at/],
    [{ checking: 'the certificate' }, /^warn: .*the name is not looked at/],
  ])('with %j is told: %p', (server, line) => {
    expect(lines(checkTls(installation(server)))).toEqual([expect.stringMatching(line)])
  })
})

describe('connections', () => {
  const found = async (connections: number, nodes: number, more: Partial<NodeState> = {}) => {
    const all = Array.from({ length: nodes }, (_, n) => aNode({ nodeId: String(n), ...more }))
    return lines(await checkConnections(installation({ connections }, all)))
  }

  test('are enough while every server that is at work may take all of its own', async () => {
    expect(await found(72, 3)).toEqual([
      'ok: Each server takes up to 24 of 72 connections: 3 are at work, and 3 could be.',
    ])
    expect(await found(71, 3)).toEqual(['problem: Each server takes up to 24 of 71 connections, and 3 are at work.'])
    expect(await found(71, 3, { seenAt: NOW - NODE_GONE_MS })).toEqual([expect.stringMatching(/^ok: /)])
  })

  test('are too few where not even one server may take its own', async () => {
    expect(await found(23, 0)).toEqual([expect.stringMatching(/^problem: /)])
  })
})

describe('servers', () => {
  const found = async (...nodes: NodeState[]) => lines(await checkNodes(installation({}, nodes)))

  test('are told by name and version, and that there is none', async () => {
    expect(await found(aNode(), aNode({ name: 'here:2' }))).toEqual(['ok: At work: here:1 (0.1.0), here:2 (0.1.0).'])
    expect(await found()).toEqual(['warn: No server is at work.'])
  })

  test('are told to have gone silent, and to be of different versions', async () => {
    const seenAt = NOW - NODE_GONE_MS
    const silent = aNode({ name: 'there:2', version: '0.2.0', startedAt: seenAt - 1, seenAt })
    expect(await found(aNode(), silent)).toEqual([
      expect.stringMatching(/^warn: there:2 \(0\.2\.0\) has sent no heartbeat since/),
    ])
    expect(await found(aNode(), { ...silent, seenAt: NOW })).toEqual([
      'warn: Servers of different versions are at work: here:1 (0.1.0), there:2 (0.2.0).',
    ])
  })
})

test('a server that another one has replaced is no warning any more, and one that none has is told how to be forgotten', async () => {
  const seenAt = NOW - 600_000
  const killed = aNode({ nodeId: 'b485e69d145b6cb4', name: 'here:2', startedAt: seenAt - 1, seenAt })
  const found = (...others: NodeState[]) => checkNodes(installation({}, [killed, ...others]))
  expect(lines(await found(aNode({ startedAt: seenAt + 1 })))).toEqual(['ok: At work: here:1 (0.1.0).'])
  const [warning] = await found(aNode({ startedAt: seenAt - 1 }))
  expect(warning).toMatchObject({
    state: 'warn',
    advice: expect.stringContaining('watchword nodes forget b485e69d145b6cb4'),
  })
})

describe('clocks', () => {
  test.each([
    [3, 2, /^ok: .*agree to 5 ms/],
    [2_500, 100, /^warn: .* 2\.5 s ahead of the database/],
    [-2_500, 100, /^warn: .* 2\.5 s behind the database/],
    [2_500, 600, /^ok: /],
  ])('that differ by %d ms, give or take %d, are told so: %p', (ms, within, line) => {
    expect(lines(checkClocks(installation({ clockLead: { ms, within } })))).toEqual([expect.stringMatching(line)])
  })
})

test.each<[ServerReport['archive'], RegExp]>([
  [{ isOn: true, isFailing: false }, /^ok: .*archive takes what/],
  [{ isOn: true, isFailing: true }, /^problem: .*takes nothing/],
  [{ isOn: false, isFailing: true }, /^ok: .*no archive/],
])('an archive that is %j is told: %p', (archive, line) => {
  expect(lines(checkArchive(installation({ archive })))).toEqual([expect.stringMatching(line)])
})

test('a database that takes nothing is told, with what it is', async () => {
  expect(lines(await checkDatabase(installation({})))).toEqual([
    'problem: postgres://db.example/there cannot be written.',
  ])
})

describe('a real PostgreSQL', () => {
  const SECRET = 'the secret of a doctor on PostgreSQL'
  const folder = mkdtempSync(join(tmpdir(), 'watchword-doctor-'))
  const authority = join(folder, 'ca.pem')
  let postgres: Postgres
  beforeAll(async () => {
    writeFileSync(authority, CA)
    postgres = await Postgres.start({ files: { 'server.crt': CERT, 'server.key': KEY }, settings: SETTINGS })
    await lay(postgres.url())
  })
  afterAll(async () => {
    await postgres.stop()
    rmSync(folder, { recursive: true })
  })

  /** Whom it refuses is no news. */
  const SETTINGS = { ssl: 'on', archive_mode: 'on', archive_command: '/bin/false', log_min_messages: 'panic' }

  /** As a first server does. */
  async function lay(url: string): Promise<void> {
    const vault = createVault(Buffer.from(SECRET))
    await (await openStore({ url, size: 2, clock: systemClock, vault })).close()
  }

  async function found(
    url: string,
    secret = SECRET,
    more: Record<string, string> = {},
  ): Promise<Record<string, string>> {
    const env = { WATCHWORD_DATABASE_URL: url, WATCHWORD_SECRET: secret, WATCHWORD_LOG_LEVEL: 'silent' }
    const config = readConfig({ ...env, ...more })
    if (!config.database) throw new Error('no database')
    const all = await examinePostgres(config, config.database)
    return Object.fromEntries(all.map(({ check, state, message }) => [check, `${state}: ${message}`]))
  }

  const asked = async (query: string) => {
    const sql = new SQL(postgres.url(), { max: 1 })
    await sql.unsafe(query).finally(() => sql.close())
  }

  test('with TLS is told how much of its certificate is looked at, and one of a stranger is not connected to', async () => {
    const tls = async (parameters: string) => (await found(`${postgres.url()}${parameters}`)).tls
    expect(await tls('')).toMatch(/^ok: .*not encrypted, and does not leave/)
    expect(await tls('?sslmode=require')).toMatch(/^warn: .*TLSv1\.\d.*no certificate/)
    expect(await tls(`?sslmode=verify-ca&sslrootcert=${authority}`)).toMatch(/^warn: .*name is not looked at/)
    expect(await tls(`?sslmode=verify-full&sslrootcert=${authority}`)).toMatch(/^ok: .*certificate and name are right/)
    const stranger = await found(`${postgres.url()}?sslmode=verify-full`)
    expect(stranger).toEqual({ database: expect.stringMatching(/^problem: .*certificate/) })
  })

  test('with a limit for the role or the database has so many connections', async () => {
    await asked(`CREATE ROLE few LOGIN CONNECTION LIMIT 20; GRANT pg_read_all_data, pg_write_all_data TO few`)
    const url = postgres.url().replace('postgres@', 'few@')
    expect((await found(url)).connections).toMatch(/^problem: Each server takes up to 24 of 20 connections/)
    await asked('ALTER DATABASE postgres CONNECTION LIMIT 19')
    expect((await found(url)).connections).toMatch(/ of 19 connections/)
    await asked('ALTER DATABASE postgres CONNECTION LIMIT -1')
  })

  test('whose archive fails is told so', async () => {
    await asked('SELECT pg_switch_wal()')
    const backups = async () => (await found(postgres.url())).backups
    await until(async () => (await backups())?.startsWith('problem'), 'the archive to have failed')
    expect(await backups()).toMatch(/^problem: .*archive takes nothing/)
  })

  test('of another secret opens no further', async () => {
    const other = await found(postgres.url(), 'another secret of a doctor on PostgreSQL')
    expect(other).toEqual({ database: expect.stringMatching(/^problem: The master secret does not open/) })
  })

  test('of another release is told, and left as it is', async () => {
    await asked('UPDATE schema_version SET version = 99')
    expect((await found(postgres.url())).database).toMatch(/^ok: .*schema version 99 \(this binary brings \d+\)/)
    await asked('UPDATE schema_version SET needs = 99')
    expect((await found(postgres.url())).database).toMatch(/^problem: .*run a newer release/)
    await asked('UPDATE schema_version SET version = 0, needs = 1')
    expect(await found(postgres.url())).toEqual({ database: expect.stringMatching(/^warn: .*schema version 0, and/) })
    await asked('UPDATE schema_version SET version = 1')
  })

  test('that follows another one is told to be a replica, and is well as one', async () => {
    // The other one waits for its archive.
    const primary = await Postgres.start()
    await lay(primary.url())
    const replica = await primary.replica()
    expect(await found(replica.url())).toEqual({ database: expect.stringMatching(/^problem: .*is a replica/) })
    const saidOf = async (url: string) =>
      (await found(primary.url(), SECRET, { WATCHWORD_DATABASE_REPLICA_URL: url })).replica
    expect(await saidOf(replica.url())).toMatch(/^ok: .*follows/)
    expect(await saidOf(primary.url())).toMatch(/^warn: .*is no replica/)
    expect(await saidOf('postgres://127.0.0.1:1/x')).toMatch(/^warn: .*does not answer/)
    expect((await found(primary.url())).replica).toMatch(/^ok: No replica/)
    await replica.stop()
    await primary.stop()
  })
})
