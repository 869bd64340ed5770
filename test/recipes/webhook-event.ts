import type { Recipe } from './recipe'

const CONTRACT = 'contract/event.ts'
const EVENT = 'src/domain/webhooks/event.ts'
const WORDS = 'src/console/web/pages/webhooks/words.ts'

export const webhookEvent: Recipe = {
  heading: 'A webhook event',
  mostFiles: 4,
  insertions: [
    { file: 'contract/constants.ts', behind: "  'otp.max_attempts',\n", text: "  'otp.replaced',\n" },
    {
      file: CONTRACT,
      behind: 'const SAMPLES = {\n',
      text: `  'otp.replaced': sample('otp.replaced', '2026-01-15T09:30:40Z', {
    id: SAMPLE_ISSUE_ID,
    status: 'replaced' as const,
    replaced_at: '2026-01-15T09:30:40.000Z',
  }),
`,
    },
    {
      file: CONTRACT,
      behind: 'export const eventSchemas = {\n',
      text: `  'otp.replaced': event('otp.replaced', 'A newer code took its place.', {
    id: field.id,
    status: z.literal('replaced'),
    replaced_at: timestamp,
  }),
`,
    },
    { file: CONTRACT, behind: "    eventSchemas['otp.max_attempts'],\n", text: "    eventSchemas['otp.replaced'],\n" },
    { file: EVENT, behind: "const CODE_EVENTS = ['verified', 'expired', 'max_attempts'", text: ", 'replaced'" },
    {
      file: EVENT,
      behind: '    attempts: verification.attemptsUsed + 1,\n    metadata: verification.metadata ?? {},\n  }),\n',
      text: "  replaced: ({ issueId }, { now }) => ({ id: issueId, status: 'replaced', replaced_at: iso(now) }),\n",
    },
    {
      file: WORDS,
      behind: "      'otp.max_attempts': 'Wrong codes used up the attempts.',\n",
      text: "      'otp.replaced': 'A newer code took its place.',\n",
    },
    {
      file: WORDS,
      behind: "      'otp.max_attempts': '잘못된 인증번호로 시도 횟수를 모두 썼습니다.',\n",
      text: "      'otp.replaced': '새 인증번호로 대체되었습니다.',\n",
    },
  ],
  proof: `
import { expect, test } from 'bun:test'
import type { NamedEventType } from '../../src/console/web/pages/webhooks/words'
import { describeApi } from '../../src/http/openapi'
import { addEndpoint } from '../../src/usecases/administer'
import { VirtualClock } from '../support/clock'
import { Receivers, verified } from '../support/receiver'
import { START, World } from '../support/world'

test('the event is offered, described and delivered', async () => {
  expect(JSON.stringify(await describeApi())).toContain('#/components/schemas/ReplacedEvent')
  const clock = new VirtualClock(START)
  const receivers = new Receivers(clock.now)
  const world = await World.start({ clock, hooks: receivers })
  const { appId, live: key } = await world.furnish()
  const url = 'https://shop.example/hook'
  const { secret } = await addEndpoint(world.admin, { appId, mode: 'live', url, events: ['otp.replaced' satisfies NamedEventType] })
  const issue = (idempotencyKey: string) =>
    world.call('rest', 'issue', { phoneNumber: '010-1234-5678', purpose: 'signup', idempotencyKey }, { key })
  const { issueId } = (await issue('first')).body
  await issue('second')
  await world.advance(1_000)
  expect(receivers.types(url)).toEqual(['otp.replaced'])
  for (const request of receivers.at(url))
    expect((await verified(request, secret)).data).toMatchObject({ id: issueId, status: 'replaced' })
  await world.stop()
})
`,
}
