import type { Recipe } from './recipe'

const ISSUE = 'src/domain/codes/issue.ts'
const REQUEST = 'src/domain/codes/issue-request.ts'
const ROWS = 'src/store/rows/issue.ts'

export const storedField: Recipe = {
  heading: 'A stored field of an issue',
  mostFiles: 8,
  insertions: [
    {
      file: 'contract/issue.ts',
      behind: '    metadata: metadata.optional(),\n',
      text: "    reference: text({ min: 1, max: 64, description: 'Your own id.', examples: ['order-42'] }).optional(),\n",
    },
    {
      file: 'contract/issue.ts',
      behind: "    messageId: z.string().meta({ description: 'Outbound message id used for delivery tracking.' }),\n",
      text: "    reference: z.string().optional().meta({ description: 'Your own id.' }),\n",
    },
    { file: ISSUE, behind: '  readonly templateId: string\n', text: '  readonly reference: string | undefined\n' },
    { file: ISSUE, behind: "  'templateId',\n", text: "  'reference',\n" },
    {
      file: REQUEST,
      behind: '  metadata?: Record<string, string> | undefined\n',
      text: '  reference?: string | undefined\n',
    },
    {
      file: REQUEST,
      behind: '  metadata: Readonly<Record<string, string>>\n',
      text: '  reference?: string | undefined\n',
    },
    { file: REQUEST, behind: '  metadata: request.metadata ?? {},\n', text: '  reference: request.reference,\n' },
    // Requests without it keep the fingerprint that is stored.
    {
      file: REQUEST,
      behind: '    request.maxAttempts,\n',
      text: '    ...(request.reference === undefined ? [] : [request.reference]),\n',
    },
    { file: REQUEST, behind: '  { purpose, templateId, channel, metadata', text: ', reference' },
    {
      file: REQUEST,
      behind: '  metadata: Object.keys(metadata).length > 0 ? metadata : undefined,\n',
      text: '  reference,\n',
    },
    {
      file: 'src/store/tables.ts',
      behind: '  metadata: optional(json<Record<string, string>>()),\n',
      text: '  reference: optional(text),\n',
    },
    {
      file: ROWS,
      behind: '  metadata: row.metadata ?? undefined,\n',
      text: '  reference: row.reference ?? undefined,\n',
    },
    { file: ROWS, behind: '  metadata: issue.metadata ?? null,\n', text: '  reference: issue.reference ?? null,\n' },
    {
      file: ROWS,
      behind: 'export const standingOf = (row: Row<IssueStanding>): IssueStanding => ({\n  ...row,\n',
      text: '  reference: row.reference ?? undefined,\n',
    },
    {
      file: 'migrations/sqlite/0001_initial.sql',
      behind: '  metadata            TEXT CHECK (metadata IS NULL OR json_valid(metadata)),\n',
      text: '  reference           TEXT,\n',
    },
    {
      file: 'migrations/postgres/0001_initial.sql',
      behind: '  metadata            text,\n',
      text: '  reference           text,\n',
    },
    { file: 'src/http/present.ts', behind: '  messageId: issue.messageId,\n', text: '  reference: issue.reference,\n' },
  ],
  onPostgresToo: true,
  proof: `
import { expect, test } from 'bun:test'
import { WIRES, World } from '../support/world'

test.each(WIRES)('the field is stored and answered, over %s', async (wire) => {
  const world = await World.start()
  const { live: key } = await world.furnish()
  const request = { phoneNumber: '010-1234-5678', purpose: 'signup', idempotencyKey: 'first', reference: 'order-42' }
  const { body } = await world.call(wire, 'issue', request, { key })
  const status = await world.call(wire, 'status', { issueId: body.issueId }, { key })
  expect(status.body.reference).toBe('order-42')
  expect((await world.call(wire, 'issue', request, { key })).body.issueId).toBe(body.issueId)
  expect((await world.call(wire, 'issue', { ...request, reference: 'order-43' }, { key })).status).toBe(409)
  await world.stop()
})
`,
}
