/** Between the domain and the shapes of the contract. */
import { idempotencyKey } from '../../contract/issue'
import { DEFAULT_TEMPLATE_ID, localesOf, TEMPLATE_NOTE, type Template } from '../domain/message/template'
import { invalid } from '../domain/shared/error'
import { refusalOf } from '../domain/shared/validation'
import { CURRENCY, type Mode, momentWriter } from '../domain/shared/value'
import { type Issue, type IssueStanding, overallStatus } from '../domain/verification/issue'
import type { Issued } from '../domain/verification/issue-request'
import type { VerifyAnswer } from '../domain/verification/proof'
import { attemptsRemaining, effectiveStatus } from '../domain/verification/verification'
import { type LedgerEntry, ledgerId } from '../domain/wallet/wallet'
import type { Balance, Page } from '../usecases/read-history'

export const iso = momentWriter()
const isoOrNothing = (at: number | undefined) => (at === undefined ? undefined : iso(at))

export const issuedView = (issued: Issued, mode: Mode) => ({
  issueId: issued.issueId,
  expiresAt: iso(issued.expiresAt),
  attemptsRemaining: issued.attemptsRemaining,
  queuedAt: iso(issued.queuedAt),
  resendAvailableAt: iso(issued.resendAvailableAt),
  mode,
})

export const verificationView = (verification: VerifyAnswer, mode: Mode) => ({
  ...verification,
  expiresAt: iso(verification.expiresAt),
  verifiedAt: isoOrNothing(verification.verifiedAt),
  mode,
})

/** Fields that the status view and the projection share. */
const standing = (issue: IssueStanding, now: number) => ({
  issueId: issue.issueId,
  purpose: issue.purpose,
  templateId: issue.templateId,
  verificationStatus: effectiveStatus(issue, now),
  deliveryStatus: issue.deliveryStatus,
  overallStatus: overallStatus(issue, now),
  expiresAt: iso(issue.expiresAt),
  verifiedAt: isoOrNothing(issue.verifiedAt),
  attemptsUsed: issue.attemptsUsed,
  maxAttempts: issue.maxAttempts,
  attemptsRemaining: attemptsRemaining(issue),
  createdAt: iso(issue.createdAt),
  updatedAt: iso(issue.updatedAt),
  mode: issue.mode,
})

export const statusView = (issue: IssueStanding, now: number) => ({
  ...standing(issue, now),
  messageId: issue.messageId,
  providerOutcomeAmbiguous: issue.providerOutcomeAmbiguous || undefined,
  providerOutcomeCode: issue.providerOutcomeCode,
})

export const projection = (issue: Issue, now: number) => ({
  ...standing(issue, now),
  channel: issue.channel,
  billingStatus: issue.billingStatus,
  debitedAmount: issue.debitedAmount,
  currency: CURRENCY as 'CREDIT',
})

export const issuesView = ({ items, nextCursor }: Page<Issue>, now: number, mode: Mode) => ({
  items: items.map((issue) => projection(issue, now)),
  nextCursor,
  mode,
})

export const balanceView = ({ appId, organizationId, balance, updatedAt }: Balance, mode: Mode) => ({
  appId,
  balance,
  currency: CURRENCY as 'CREDIT',
  updatedAt: iso(updatedAt),
  mode,
  walletId: `${mode}:${appId}`,
  walletScope: mode === 'live' ? ('app' as const) : mode,
  organizationId,
  ...(mode === 'test' && { promoBalance: 0, promoNextExpiry: null }),
})

export const ledgerView = ({ items, nextCursor }: Page<LedgerEntry>) => ({
  items: items.map((entry) => ({
    ledgerId: ledgerId(entry),
    appId: entry.appId,
    entryType: entry.entryType,
    amountDelta: entry.amountDelta,
    balanceAfter: entry.balanceAfter,
    currency: CURRENCY as 'CREDIT',
    issueId: entry.issueId,
    createdAt: iso(entry.createdAt),
  })),
  nextCursor,
})

export const templatesView = (templates: readonly Template[]) => ({
  defaultTemplateId: DEFAULT_TEMPLATE_ID,
  templates: templates.map((template) => ({
    templateId: template.templateId,
    name: template.name,
    isDefault: template.templateId === DEFAULT_TEMPLATE_ID,
    providerTemplateCode: template.providerTemplateCode,
    channelSupport: [...template.channelSupport],
    body: template.body,
    locale: template.locale,
    locales: localesOf(template),
  })),
  note: TEMPLATE_NOTE,
})

export const templateView = ({ templateId, name, channelSupport, body, locale, bodies, variables }: Template) => ({
  templateId,
  name,
  channelSupport: [...channelSupport],
  body,
  locale,
  bodies: { ...bodies },
  variables: {
    required: Object.keys(variables).filter((variable) => variables[variable]?.required),
    properties: Object.fromEntries(
      Object.entries(variables).map(([variable, { pattern, description }]) => [
        variable,
        { type: 'string' as const, pattern, description },
      ]),
    ),
    additionalProperties: false as const,
  },
})

/** The idempotency key: from the header or the body field; if both are sent, they must be equal. Specification: `POST /issue`, rules 1 and 2. Throws `invalid`. */
export function keyFor(inBody: string | undefined, header: string | null): string {
  const inHeader = header === null ? undefined : idempotencyKey.safeParse(header)
  if (inHeader && !inHeader.success) throw refusalOf(inHeader.error.issues, header, 'Idempotency-Key')
  if (inHeader && inBody !== undefined && inHeader.data !== inBody) {
    throw invalid('idempotencyKey', 'idempotency_key_mismatch', 'differs from the Idempotency-Key header')
  }
  const key = inHeader?.data ?? inBody
  if (key === undefined) {
    const problem = 'an Idempotency-Key header or this field is required'
    throw invalid('idempotencyKey', 'idempotency_key_required', problem)
  }
  return key
}
