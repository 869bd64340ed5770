import { implement } from '@orpc/server'
import type { ApiKey } from '../../domain/access/api-key'
import { seesApp } from '../../domain/access/operator'
import { magicRecipient, type Recipient } from '../../domain/phone/phone'
import { DAY_MS } from '../../domain/shared/value'
import { attemptsRemaining, hasCode, type Stored } from '../../domain/verification/verification'
import type { Clock } from '../../ports/clock'
import type { Vault } from '../../ports/vault'
import { existingApp } from '../../usecases/administer'
import { findByText } from '../../usecases/find-issues'
import { tellIssue } from '../../usecases/inspect'
import { issueCode } from '../../usecases/issue-code'
import { codeOfTest } from '../../usecases/relay-code'
import { type FoundIssues, type IssueSearch, rowOf, searchIssues } from '../../usecases/search-issues'
import { verifyCode } from '../../usecases/verify-code'
import { type AdminContext, type AdminServices, actorOf, administratorOf, adminOf } from '../context'
import { adminContract } from '../contract'
import { shownKey } from './apps'

export function issueProcedures(deps: AdminServices) {
  const os = implement(adminContract.issues).$context<AdminContext>()
  const { clock } = deps
  return os.router({
    list: os.list.handler(async ({ input: { appId, mode, ...search } }) => {
      const { rows, next } = await searchIssues(deps, { appId, mode }, search)
      return { rows: rows.map((issue) => issueView(issue, clock.now())), ...(next && { next }) }
    }),
    find: os.find.handler(async ({ input, context }) => {
      const { numbering } = deps.facts
      const who = administratorOf(context)
      const mayFindPhones = who.permissions.includes('find')
      const sees = (appId: string) => seesApp(who, appId)
      const { issues, keys, apps } = await findByText(
        { ...adminOf(deps, context), numbering, mayFindPhones, sees },
        input.text,
      )
      const foundIn = ({ appId }: { appId: string }) => ({ appId, appName: apps.get(appId)?.name ?? appId })
      return {
        issues: issues.map((issue) => ({ ...issueView(issue, clock.now()), ...foundIn(issue) })),
        keys: keys.map((key) => ({ ...foundIn(key), keyId: key.keyId, mode: key.mode, shown: shownKey(key) })),
      }
    }),
    story: os.story.handler(async ({ input }) => {
      const { issue, attempts, ledger, webhooks } = await tellIssue(deps, input.issueId)
      return {
        ...issueView(issue, clock.now()),
        appId: issue.appId,
        templateId: issue.templateId,
        metadata: { ...issue.metadata },
        verifiedAt: issue.verifiedAt,
        wrongAt: [...(issue.wrongAt ?? [])],
        updatedAt: issue.updatedAt,
        attempts: attempts.map((attempt) => ({ ...attempt })),
        ledger,
        webhooks,
      }
    }),
  })
}

export const issueView = (stored: Stored, now: number) => ({
  ...rowOf(stored, now),
  isMessageAlone: !hasCode(stored),
})

/** Same as the retention of test issues. */
const INBOX_DAYS = 7

export function inboxProcedures(deps: AdminServices) {
  const os = implement(adminContract.inbox).$context<AdminContext>()
  const { store, clock, modes, random } = deps
  const magicNumbers = new MagicNumbers(deps)
  return os.router({
    list: os.list.handler(async ({ input: { appId, after, limit } }) => {
      const from = clock.now() - INBOX_DAYS * DAY_MS
      const { rows, next } = await testIssues(deps, appId, { after, limit, from })
      const numbers = await Promise.all(rows.map((issue) => magicNumbers.of(issue)))
      return {
        rows: rows.map((issue, index) => {
          const number = numbers[index]
          // The scenario of a wrong code has no code that verifies.
          const code = codeOfTest(deps, issue) ?? (number && modes.test.newCode(number).match(/^\d{6}$/)?.[0])
          return {
            ...issueView(issue, clock.now()),
            ...(number && { scenario: number.scenario, phoneNumber: number.to }),
            ...(code !== undefined && { code }),
          }
        }),
        ...(next && { next }),
      }
    }),
    tryIt: os.tryIt.handler(async ({ input, context }) => {
      const key = await testKey(deps, input.appId, actorOf(context).name)
      const { issueId, expiresAt } = await issueCode(deps, key, {
        phoneNumber: input.phoneNumber,
        purpose: input.purpose,
        idempotencyKey: `console-${Buffer.from(random.bytes(12)).toString('hex')}`,
        channel: input.channel,
        expiresInSec: 180,
        maxAttempts: 5,
      })
      return { issueId, expiresAt }
    }),
    verify: os.verify.handler(async ({ input }) => {
      const owner = { appId: input.appId, mode: 'test' } as const
      const { verified, reasonCode, expiresAt } = await verifyCode(deps, { ...owner, region: undefined }, input)
      const issue = await store.read.issues.find(owner, input.issueId)
      return { verified, reasonCode, expiresAt, attemptsRemaining: issue ? attemptsRemaining(issue) : 0 }
    }),
  })
}

/** Codes of apps and of relays, newest first. Their ids are in the order of time. */
async function testIssues(
  deps: AdminServices,
  appId: string,
  search: Pick<IssueSearch, 'after' | 'limit' | 'from'>,
): Promise<FoundIssues> {
  const owner = { appId, mode: 'test' } as const
  const found = await Promise.all([
    searchIssues(deps, owner, search),
    searchIssues(deps, owner, { ...search, status: 'alone' }),
  ])
  const all = found.flatMap(({ rows }) => rows).sort((one, other) => (one.issueId < other.issueId ? 1 : -1))
  const rows = all.slice(0, search.limit)
  const [last] = rows.slice(-1)
  return last && (all.length > rows.length || found.some(({ next }) => next)) ? { rows, next: last.issueId } : { rows }
}

/** Acts as a secret test key of the app, so that the console's test codes follow the same rules. */
async function testKey(deps: AdminServices, appId: string, operatorId: string): Promise<ApiKey> {
  const { organizationId, region } = await existingApp(deps, appId)
  return {
    keyId: `console:${operatorId}`,
    appId,
    organizationId,
    kind: 'sk',
    mode: 'test',
    scopes: ['otp:issue'],
    allowedOrigins: [],
    allowedCidrs: [],
    limits: {},
    allows: [],
    region,
    expiresAt: undefined,
    revokedAt: undefined,
  }
}

const two = (number: number) => String(number).padStart(2, '0')
const hundred = (prefix: string) => Array.from({ length: 100 }, (_, xx) => prefix + two(xx))

/** Magic numbers by country; the third has one set for each area code. */
const NUMBERS: Readonly<Record<string, () => string[]>> = {
  KR: () => hundred('+8210000000'),
  GB: () => hundred('+4477009000'),
  US: () => Array.from({ length: 1_000 }, (_, area) => hundred(`+1${String(area).padStart(3, '0')}55501`)).flat(),
}

/** Batch size that takes one or two milliseconds. */
const HASHED_AT_ONCE = 1_000

type KnownRecipients = Map<string, Recipient>

/** Finds the magic number of a test issue. Issues store hashes only, but there are few magic numbers to compare. */
class MagicNumbers {
  readonly #known = new Map<string, Promise<KnownRecipients>>()

  constructor(private readonly deps: { vault: Pick<Vault, 'phoneHash'>; clock: Pick<Clock, 'after'> }) {}

  async of({ phoneHash, country = '' }: Pick<Stored, 'phoneHash' | 'country'>): Promise<Recipient | undefined> {
    return (await this.#ofCountry(country))?.get(keyOf(phoneHash))
  }

  #ofCountry(country: string): Promise<KnownRecipients> | undefined {
    const numbers = Object.hasOwn(NUMBERS, country) ? NUMBERS[country] : undefined
    if (!numbers) return undefined
    const known = this.#known.get(country) ?? this.#hashed(numbers())
    this.#known.set(country, known)
    return known
  }

  /**
   * Computes the hashes of a country on first use. It yields to other requests, because a country has 100,000 numbers.
   */
  async #hashed(numbers: string[]): Promise<KnownRecipients> {
    const { vault, clock } = this.deps
    const known: KnownRecipients = new Map()
    for (const [index, number] of numbers.entries()) {
      const recipient = magicRecipient(number)
      if (recipient) known.set(keyOf(vault.phoneHash(recipient.identity)), recipient)
      if (index % HASHED_AT_ONCE === HASHED_AT_ONCE - 1) await new Promise<void>((resolve) => clock.after(0, resolve))
    }
    return known
  }
}

const keyOf = (hash: Uint8Array) => Buffer.from(hash).toString('base64')
