/** What is stored of one phone: told, or erased. The number stands in no address and in no entry of the audit log. */
import { z } from 'zod'
import { ofApp, procedure } from './base'

/** Of one app, or of all. */
const phone = ofApp.partial().extend({ phoneNumber: z.string().min(1).max(64) })

export const privacy = {
  /** As it is read, before something is done about it. */
  read: procedure('privacy')
    .input(phone)
    .output(z.object({ phoneNumber: z.string() })),
  /** The first page has the head; a page may have no issues though there are more behind it. */
  export: procedure('privacy')
    .input(phone.extend({ after: z.string().max(300).optional() }))
    .output(
      z.object({
        head: z.record(z.string(), z.unknown()).optional(),
        issues: z.array(z.record(z.string(), z.unknown())),
        next: z.string().optional(),
      }),
    ),
  /** What takes long goes on after the answer. */
  erase: procedure('privacy')
    .input(phone)
    .output(
      z.object({
        /** Missing while it is under way. */
        erased: z.object({ issues: z.int(), counted: z.int(), events: z.int() }).optional(),
      }),
    ),
}
