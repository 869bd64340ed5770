/**
 * The floor: what this machine, this runtime and SQLite can do when nothing but the rows and the codes matter. A bare
 * Bun route, zod, hand-written prepared statements, every answer on disk (`synchronous=FULL`); no key check, no limits,
 * no oRPC, no log, no request id.
 *
 *   --commit group|single    everybody of this turn of the event loop in one transaction, or each in its own
 *   --layout ours|lean       our tables; or append-only ones, with every look-up by a random key in memory
 */
import { parseArgs } from 'node:util'
import { createVault } from '../../src/system/vault'
import { SECRET } from '../secret'
import { type Commit, GroupCommit, SingleCommit } from './commit'
import { issueInput, verifyInput } from './inputs'
import { leanTables } from './lean-tables'
import { ourTables } from './our-tables'

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '.' },
    app: { type: 'string', default: '' },
    commit: { type: 'string', default: 'group' },
    layout: { type: 'string', default: 'ours' },
  },
})

const vault = createVault(Buffer.from(SECRET))
const tables = (values.layout === 'lean' ? leanTables : ourTables)(values.data, values.app, vault)
const commit: Commit = values.commit === 'single' ? new SingleCommit(tables.db) : new GroupCommit(tables.db)

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  routes: {
    '/v1/issue': {
      POST: async (request) => {
        const input = issueInput.parse(await request.json())
        return Response.json(await commit.run(() => tables.issue(input)))
      },
    },
    '/v1/verify': {
      POST: async (request) => {
        const { issueId, code } = verifyInput.parse(await request.json())
        return Response.json(await commit.run(() => tables.verify(issueId, code)))
      },
    },
    '/v1/status': (request) => Response.json(tables.status(new URL(request.url).searchParams.get('issueId') ?? '')),
    '/v1/issues': (request) => Response.json(tables.list(Number(new URL(request.url).searchParams.get('limit')))),
    '/healthz': () => new Response('ok'),
  },
})
process.stdout.write(`${JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${server.port}` })}\n`)
