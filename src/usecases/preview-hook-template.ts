/** Payload templates as their authors try them. Apart from what sends webhooks, which has no use for samples. */
import type { HookEventType } from '../../contract/constants'
import { sampleHookEvent } from '../../contract/event'
import { renderHookTemplate } from '../domain/webhooks/payload-template'

/** Renders the sample of each event. Throws `invalid` as rendering does. */
export const previewHookTemplate = (
  template: string,
  events: readonly HookEventType[],
): Array<{ type: HookEventType; body: string }> =>
  events.map((type) => ({ type, body: renderHookTemplate(template, sampleHookEvent(type)) }))
