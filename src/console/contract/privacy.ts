/** Export and erasure of the data of one phone. The number appears in no URL and in no audit entry. */
import { z } from 'zod'
import { ofApp, procedure } from './base'

/** One app, or all apps. */
const phone = ofApp.partial().extend({ phoneNumber: z.string().min(1).max(64) })

export const privacy = {
  /** The parsed number, for confirmation. */
  read: procedure('privacy')
    .input(phone)
    .output(z.object({ phoneNumber: z.string() })),
  /** The first page has the head. A page may be empty although more follow. */
  export: procedure('privacy')
    .input(phone.extend({ after: z.string().max(300).optional() }))
    .output(
      z.object({
        head: z.record(z.string(), z.unknown()).optional(),
        issues: z.array(z.record(z.string(), z.unknown())),
        next: z.string().optional(),
      }),
    ),
  /** A long erasure continues after the answer. */
  erase: procedure('privacy')
    .input(phone)
    .output(
      z.object({
        /** Missing while the erasure is running. */
        erased: z.object({ issues: z.int(), counted: z.int(), events: z.int() }).optional(),
      }),
    ),
}
