/** Server-sent events: what has changed, so that pages need not ask again and again. */
import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { procedure } from '../../admin/contract/base'
import { CHANGE_TOPICS } from '../../domain/operations/change'

export const live = {
  /** Topics that have changed, within a second. None of them is a heartbeat. Ends with the session. */
  changes: procedure('look', 'anyone').output(eventIterator(z.object({ topics: z.array(z.enum(CHANGE_TOPICS)) }))),
}
