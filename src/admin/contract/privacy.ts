/** Export and erasure of the data of one phone. The number appears in no URL and in no audit entry. */
import { z } from 'zod'
import { act, ofApp } from './base'

/** One app, or all apps. */
const phone = ofApp.partial().extend({ phoneNumber: z.string().min(1).max(64) })

export const privacy = {
  read: act(
    'POST /privacy/read',
    'Read a phone number as the service does. The parsed number, for confirmation.',
    'privacy',
  )
    .input(phone)
    .output(z.object({ phoneNumber: z.string() })),
  export: act(
    'POST /privacy/export',
    'Export what is stored of a phone. The first page has the head. A page may be empty although more follow.',
    'privacy',
  )
    .input(phone.extend({ after: z.string().max(300).optional() }))
    .output(
      z.object({
        head: z.record(z.string(), z.unknown()).optional(),
        issues: z.array(z.record(z.string(), z.unknown())),
        next: z.string().optional(),
      }),
    ),
  erase: act(
    'POST /privacy/erase',
    'Erase what is stored of a phone. A long erasure continues after the answer.',
    'privacy',
  )
    .input(phone)
    .output(
      z.object({
        /** Missing while the erasure is running. */
        erased: z.object({ issues: z.int(), counted: z.int(), events: z.int() }).optional(),
      }),
    ),
}
