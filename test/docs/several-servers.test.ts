/** docs/several-servers.md, followed over a real PostgreSQL: two servers and a carrier, one killed while it sends. */
import { expect, setDefaultTimeout, test } from 'bun:test'
import { SQL } from 'bun'
import { Postgres } from '../support/postgres'
import { HANGS_AFTER_MS, until } from '../support/until'
import { Reader } from './reader'
import { blocksOfStory, SERVERS } from './stories'

setDefaultTimeout(HANGS_AFTER_MS)

test('what was being sent by a server that is killed is told of, and nothing is sent twice', async () => {
  const postgres = await Postgres.start()
  const reader = new Reader({ postgres: postgres.port })
  const sql = new SQL(postgres.url(), { max: 1 })
  // As the page has it done by Debian's programs.
  await sql`CREATE ROLE watchword LOGIN`
  await sql`CREATE DATABASE watchword OWNER watchword`
  const there = new SQL(postgres.url().replace(/postgres$/, 'watchword'), { max: 1 })
  const hasSent = async (server: string) => {
    const left = await there`SELECT 1 FROM jobs WHERE kind <> 'await-report' AND coalesce(leased_by, '') LIKE ${server}`
    return left.length === 0
  }
  const begun = async () => (await there`SELECT 1 FROM issues WHERE begun_at IS NOT NULL`).length
  try {
    const blocks = blocksOfStory(SERVERS)
    const killed = blocks.findIndex(({ text }) => text.includes('kill -9')) + 1
    await reader.follow(blocks.slice(0, killed))
    // The shell says first that somebody was killed.
    await reader.run('wait $ONE || true')
    const name = `%:${(await reader.run('echo $TWO')).trim()}`
    const [{ node_id: living }] = await there`SELECT node_id FROM nodes WHERE name LIKE ${name}`
    await until(() => hasSent(living), 'the server that lives to have sent its own')
    // Half a minute goes by.
    await there`UPDATE issues SET begun_at = 0 WHERE begun_at IS NOT NULL`
    await there`UPDATE jobs SET run_at = 0`
    await until(async () => (await begun()) === 0 && hasSent('%'), 'the others to be told of')
    await reader.follow(blocks.slice(killed))
    const sent = (await reader.run('cut -d " " -f 1 carrier.log')).trim().split('\n')
    expect(sent.sort()).toEqual([6781, 6782, 6783, 6784].map((n) => `+82102345${n}`))
  } finally {
    await Promise.all([reader.stop(), there.close(), sql.close()])
    await postgres.stop()
  }
})
