import type { Recipe } from './recipe'

const ISSUE_CODE = 'src/usecases/issue-code.ts'
const REQUEST = 'src/domain/verification/issue-request.ts'

export const storedField: Recipe = {
  heading: 'A stored field of an issue',
  mostFiles: 9,
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
    {
      file: 'src/domain/verification/verification.ts',
      behind: '  readonly maxAttempts: number\n',
      text: '  readonly reference?: string | undefined\n',
    },
    { file: 'src/domain/verification/issue.ts', behind: "  'templateId',\n", text: "  'reference',\n" },
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
    {
      file: REQUEST,
      behind: "  code: Pick<Verification, 'codeHash' | 'maxAttempts'",
      text: " | 'reference'",
    },
    {
      file: ISSUE_CODE,
      behind: '            maxAttempts: admitted.maxAttempts,\n',
      text: '            reference: resolved.reference,\n',
    },
    {
      file: 'src/store/tables.ts',
      behind: '  metadata: optional(json<Record<string, string>>()),\n',
      text: '  reference: optional(text),\n',
    },
    {
      file: 'migrations/sqlite/0002_one_store.sql',
      behind: 'DROP TABLE awaited_reports;\n',
      text: 'ALTER TABLE issues ADD COLUMN reference TEXT;\n',
    },
    {
      file: 'migrations/postgres/0002_one_store.sql',
      behind: 'DROP TABLE awaited_reports;\n',
      text: 'ALTER TABLE issues ADD COLUMN reference text;\n',
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
