/** What a floor lets in. */
import { z } from 'zod'

export const issueInput = z.strictObject({
  phoneNumber: z.string().min(3).max(32),
  purpose: z.string().min(1).max(64),
  idempotencyKey: z.string().min(1).max(128),
})
export type IssueInput = z.output<typeof issueInput>

export const verifyInput = z.strictObject({ issueId: z.uuid(), code: z.string().regex(/^\d{6}$/) })
export type VerifyInput = z.output<typeof verifyInput>
