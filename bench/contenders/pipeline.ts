/**
 * The floor of a delivered code: what this machine, this runtime and SQLite can do where a message goes out as soon as it
 * is stored and its answer is stored with the charge. A bare Bun route, zod, 10 hand-written statements, two commits with
 * everybody of their turn of the event loop, connections to the carrier that Bun's `fetch` keeps; nothing else.
 */
import { parseArgs } from 'node:util'
import { createVault } from '../../src/system/vault'
import { SECRET } from '../secret'
import { GroupCommit } from './commit'
import { issueInput } from './inputs'
import { type Message, pipelineTables } from './pipeline-tables'
import { idText } from './tables'

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '.' },
    app: { type: 'string', default: '' },
    carrier: { type: 'string', default: '' },
  },
})
const tables = pipelineTables(values.data, values.app, createVault(Buffer.from(SECRET)))
const commit = new GroupCommit(tables.db)

async function deliver(message: Message): Promise<void> {
  const messageId = idText(message.messageId)
  const { to, text } = message
  const answer = await fetch(values.carrier, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': messageId },
    body: JSON.stringify({ messageId, channel: 'sms', to, text }),
  })
  const { id } = (await answer.json()) as { id: string }
  await commit.run(() => tables.settle(message, id))
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  routes: {
    '/v1/issue': {
      POST: async (request) => {
        const input = issueInput.parse(await request.json())
        const { answer, message } = await commit.run(() => tables.issue(input))
        if (message) void deliver(message)
        return Response.json(answer)
      },
    },
    '/healthz': () => new Response('ok'),
  },
})
process.stdout.write(`${JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${server.port}` })}\n`)
