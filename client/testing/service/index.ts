/**
 * Test mode in memory. It uses the contract, the rules of `src/domain` and the messages of the server. This folder only
 * replaces what the server does with a database. `test/client/testing-table.test.ts` checks that both answer the same.
 */
import type { z } from 'zod'
import { contract } from '../../../contract'
import { errors } from '../../../contract/error'
import type { getIssueInput, listIssuesInput } from '../../../contract/history'
import type { issueInput, statusInput, verifyInput } from '../../../contract/issue'
import type { getTemplateInput } from '../../../contract/template'
import type { listCreditLedgerInput } from '../../../contract/wallet'
import { assertResendable, type Protection, resendAt, UNPROTECTED } from '../../../src/abuse/rules/protection'
import type { ApiKey } from '../../../src/domain/access/api-key'
import {
  FIXED_LIMITS,
  RateLimiter,
  refusalLimit,
  testIssueLimits,
  testRequestLimits,
  USUAL_LIMITS,
} from '../../../src/domain/access/rate-limits'
import { newMessage } from '../../../src/domain/message/message'
import { textsOf } from '../../../src/domain/message/rendered-message'
import {
  assertTemplate,
  type Template as Rules,
  type Template,
  withBuiltIn,
} from '../../../src/domain/message/template'
import { testRecipient } from '../../../src/domain/phone/phone'
import { invalid, notFound, Refusal } from '../../../src/domain/shared/error'
import { refusalOf } from '../../../src/domain/shared/validation'
import { assertReplayable, hasExpired, IDEMPOTENCY_DAYS } from '../../../src/domain/verification/idempotency'
import type { Issue } from '../../../src/domain/verification/issue'
import {
  compose,
  fingerprintText,
  issued,
  newVerification,
  resolveRequest,
} from '../../../src/domain/verification/issue-request'
import {
  PROOF_LIFETIME_SEC,
  type ProofSettings,
  proofClaims,
  unknownIssue,
  verifyAnswerOf,
} from '../../../src/domain/verification/proof'
import {
  assertTestAdmits,
  TEST_BALANCE,
  TEST_PRICES,
  testChannel,
  testCode,
  testFallsBack,
  testLifetimeMs,
} from '../../../src/domain/verification/test-scenario'
import { check, markReplaced } from '../../../src/domain/verification/verification'
import { fromRefusal, interfaceError } from '../../../src/http/errors'
import {
  balanceView,
  issuedView,
  issuesView,
  keyFor,
  projection,
  statusView,
  templatesView,
  templateView,
  verificationView,
} from '../../../src/http/present'
import type { CreateService, Service, ServiceAnswer, ServiceOptions, TestTemplate } from '../service-types'
import { Issues } from './issues'

/** Ids of the only app and key. */
const KEY: ApiKey = {
  ...{ keyId: 'test', appId: 'test-app', organizationId: 'test-organization', kind: 'sk', mode: 'test', scopes: ['*'] },
  ...{ allowedOrigins: [], allowedCidrs: [], limits: {}, allows: [] },
  ...{ region: undefined, expiresAt: undefined, revokedAt: undefined },
}
const HERE = '127.0.0.1'
const PROOFS: ProofSettings = { issuer: undefined, lifetimeMs: PROOF_LIFETIME_SEC * 1_000 }
const LIMITS = { ...FIXED_LIMITS, ...USUAL_LIMITS }
const FIRST_ID = 0xabcdefabc001
/** Hashes are not used here. */
const NO_HASH = new Uint8Array()

export const createService: CreateService = (options) => new ServiceInMemory(options)

type Operation = keyof typeof contract
type Handlers = { [O in Operation]: (input: never) => Answered }

type Answered = object & Pick<ServiceAnswer, 'claims'>

interface Claimed {
  fingerprint: string
  issueId: string
  createdAt: number
}

class ServiceInMemory implements Service {
  readonly #now: () => number
  readonly #region: string
  readonly #templates: readonly Template[]
  readonly #protection: Protection
  readonly #limiter = new RateLimiter()
  readonly #claims = new Map<string, Claimed>()
  readonly #issues = new Issues(() => this.#newId())
  #made = 0

  constructor({ now, region, templates, resendAfterMs }: ServiceOptions) {
    this.#now = now
    this.#region = region
    const own = templates.map(registered).sort((one, other) => (one.templateId < other.templateId ? -1 : 1))
    this.#templates = withBuiltIn(own)
    this.#protection = { ...UNPROTECTED, resendMs: { sk: resendAfterMs, pk: resendAfterMs } }
  }

  readonly #handlers: Handlers = {
    issue: (input: z.output<typeof issueInput>) => this.#issue(input),
    verify: (input: z.output<typeof verifyInput>) => this.#verify(input),
    status: ({ issueId }: z.output<typeof statusInput>) => statusView(this.#find(issueId), this.#now()),
    listIssues: (input: z.output<typeof listIssuesInput>) => this.#list(input),
    getIssue: ({ issueId }: z.output<typeof getIssueInput>) => projection(this.#find(issueId), this.#now()),
    listCreditLedger: ({ cursor }: z.output<typeof listCreditLedgerInput>) => {
      if (cursor !== undefined) throw foreignCursor()
      return { items: [] }
    },
    balance: () => balanceView({ ...KEY, balance: TEST_BALANCE, updatedAt: this.#now() }, 'test'),
    listTemplates: () => templatesView(this.#templates),
    getTemplate: ({ templateId }: z.output<typeof getTemplateInput>) => {
      const template = this.#template(templateId)
      if (!template) throw notFound('template')
      return templateView(template)
    },
  }

  /** A missing input is an empty one, as over RPC. */
  answer(operation: Operation, input: unknown = {}): ServiceAnswer {
    const { inputSchema, meta } = contract[operation]['~orpc']
    let permit: ReturnType<RateLimiter['acquire']> | undefined
    try {
      permit = this.#limiter.acquire(testRequestLimits(LIMITS, KEY, meta.limitedAs), this.#now())
      const read = inputSchema?.safeParse(input)
      if (read?.error) throw refusalOf(read.error.issues, input)
      const { claims, ...body } = this.#handlers[operation](read?.data as never)
      return { status: 200, body, claims }
    } catch (refusal) {
      permit?.release()
      if (!(refusal instanceof Refusal)) throw refusal
      const final = this.#underTheCeiling(refusal)
      return said(fromRefusal(final), final.detail.retryAfterMs)
    }
  }

  refuse(code: keyof typeof errors, data: object | undefined): ServiceAnswer {
    return said(interfaceError(code, errors[code].message, data))
  }

  /** Ids are the same in each run. None contains six digits that look like a code. */
  #newId(): string {
    return `abcdefab-cdef-7abc-8def-${(FIRST_ID + this.#made++).toString(16)}`
  }

  #underTheCeiling(refusal: Refusal): Refusal {
    const rule = refusalLimit(LIMITS, refusal.kind, KEY, HERE)
    try {
      if (rule) this.#limiter.acquire([rule], this.#now())
      return refusal
    } catch (limited) {
      return limited as Refusal
    }
  }

  #issue(input: z.output<typeof issueInput>): object {
    const now = this.#now()
    const request = { ...input, idempotencyKey: keyFor(input.idempotencyKey, null) }
    const recipient = testRecipient(request.phoneNumber, { region: this.#region })
    const order = resolveRequest(request, recipient, testChannel(recipient))
    const fingerprint = fingerprintText(order)
    const view = (issue: Issue) => issuedView(issued(issue, resendAt(this.#protection, 'sk', issue)), 'test')

    const replayed = this.#replay(request.idempotencyKey, fingerprint, now)
    if (replayed) return view(replayed)

    const code = testCode(recipient)
    const wording = { texts: textsOf(undefined), locale: request.locale, webOtp: request.webOtp }
    const template = this.#template(order.templateId)
    compose(order, recipient, {
      template,
      wording,
      code,
      key: KEY,
      maySms: order.channel === 'sms' || order.smsFallback,
    })
    assertTestAdmits(recipient, now)
    const permit = this.#limiter.acquire(testIssueLimits(LIMITS, KEY), now)
    const before = this.#issues.live(order.phone, order.purpose, now)
    try {
      assertResendable(this.#protection, 'sk', before?.issue, now)
    } catch (refusal) {
      permit.release()
      throw refusal
    }
    const addressed = {
      ...{ appId: KEY.appId, mode: KEY.mode, keyKind: KEY.kind, country: recipient.country },
      ...{ issueId: this.#newId(), messageId: this.#newId(), origin: undefined },
      ...{ purpose: order.purpose, templateId: order.templateId, channel: order.channel },
      metadata: Object.keys(order.metadata).length > 0 ? order.metadata : undefined,
      ...{ phoneHash: NO_HASH, prefixHash: NO_HASH, networkHash: undefined },
      ...{ createdAt: now, updatedAt: now, expiresAt: now + testLifetimeMs(recipient, request.expiresInSec) },
    }
    const smsFallback = testFallsBack(recipient, order.smsFallback)
    const message = newMessage(addressed, { smsFallback, legs: undefined, price: TEST_PRICES[order.channel] })
    const issue = newVerification(message, { codeHash: NO_HASH, maxAttempts: request.maxAttempts })
    if (before) before.issue = markReplaced(before.issue, now)
    this.#claims.set(request.idempotencyKey, { fingerprint, issueId: issue.issueId, createdAt: now })
    this.#issues.add(issue, { code, phone: order.phone, scenario: recipient.scenario })
    return view(issue)
  }

  /** The issue of this idempotency key, if any. */
  #replay(idempotencyKey: string, fingerprint: string, now: number): Issue | undefined {
    const claim = this.#claims.get(idempotencyKey)
    if (!claim || hasExpired(claim, IDEMPOTENCY_DAYS, now)) return undefined
    const issue = this.#find(claim.issueId)
    assertReplayable(issue, claim.fingerprint === fingerprint)
    return issue
  }

  #verify({ issueId, code, phoneNumber }: z.output<typeof verifyInput>): Answered {
    const now = this.#now()
    const claimed = phoneNumber === undefined ? undefined : testRecipient(phoneNumber, { region: this.#region })
    const kept = this.#issues.find(issueId.toLowerCase(), now)
    if (!kept) return verificationView(unknownIssue(issueId, now), 'test')
    const { changed, ...verdict } = check(kept.issue, code === kept.code, now)
    if (changed) kept.issue = changed
    const { issue } = kept
    const view = verificationView(verifyAnswerOf(issue, verdict), 'test')
    if (!verdict.verified || claimed?.identity !== kept.phone) return view
    return { ...view, claims: proofClaims({ verification: issue, to: claimed.to, app: undefined, at: now }, PROOFS) }
  }

  #find(issueId: string): Issue {
    const kept = this.#issues.find(issueId.toLowerCase(), this.#now())
    if (!kept) throw notFound('issue')
    return kept.issue
  }

  /** A cursor is the id of the last issue of its page. */
  #list({ limit, cursor, verificationStatus: status, ...range }: z.output<typeof listIssuesInput>): object {
    const now = this.#now()
    if (cursor !== undefined && !this.#issues.find(cursor, now)) throw foreignCursor()
    const all = this.#issues.list({ status, before: cursor, ...range }, now)
    const items = all.slice(0, limit)
    const nextCursor = all.length > limit ? items.at(-1)?.issueId : undefined
    return issuesView({ items, nextCursor }, now, 'test')
  }

  #template(templateId: string): Template | undefined {
    return this.#templates.find((template) => template.templateId === templateId)
  }
}

const foreignCursor = () => invalid('cursor', 'invalid_cursor', 'malformed, or not of this endpoint')

const said = (error: ReturnType<typeof interfaceError>, retryAfterMs?: number): ServiceAnswer => ({
  status: error.status,
  body: error.toJSON(),
  retryAfterMs,
})

/** Converts a template to the domain's form. Throws a refusal for an invalid one. */
export function registered({ variables, ...said }: TestTemplate): Rules {
  const properties = Object.entries(variables.properties).map(([variable, { pattern, description }]) => {
    const rule = { ...(pattern !== undefined && { pattern }), ...(description !== undefined && { description }) }
    return [variable, { ...rule, required: variables.required.includes(variable) }] as const
  })
  const template = {
    ...{ ...said, providerTemplateCode: said.templateId },
    variables: Object.fromEntries(properties),
  }
  assertTemplate(template)
  return template
}
