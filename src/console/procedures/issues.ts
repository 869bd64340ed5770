import { implement } from '@orpc/server'
import type { ApiKey } from '../../domain/access/api-key'
import { attemptsRemaining } from '../../domain/codes/issue'
import { DAY_MS } from '../../domain/shared/value'
import { existingApp } from '../../usecases/administer'
import { tellIssue } from '../../usecases/inspect'
import { issueCode } from '../../usecases/issue-code'
import { rowOf, searchIssues } from '../../usecases/search-issues'
import { verifyCode } from '../../usecases/verify-code'
import { actorOf, type ConsoleContext, type ConsoleDependencies } from '../context'
import { consoleContract } from '../contract'
import { MagicNumbers } from '../magic-numbers'

export function issueProcedures(deps: ConsoleDependencies) {
  const os = implement(consoleContract.issues).$context<ConsoleContext>()
  const { clock } = deps
  return os.router({
    list: os.list.handler(async ({ input: { appId, mode, ...search } }) => {
      const { rows, next } = await searchIssues(deps, { appId, mode }, search)
      return { rows: rows.map((issue) => rowOf(issue, clock.now())), ...(next && { next }) }
    }),
    story: os.story.handler(async ({ input }) => {
      const { issue, attempts, ledger, webhooks } = await tellIssue(deps, input.issueId)
      return {
        ...rowOf(issue, clock.now()),
        appId: issue.appId,
        templateId: issue.templateId,
        metadata: { ...issue.metadata },
        verifiedAt: issue.verifiedAt,
        updatedAt: issue.updatedAt,
        attempts: attempts.map((attempt) => ({ ...attempt })),
        ledger,
        webhooks,
      }
    }),
  })
}

/** Test issues are kept as long. */
const INBOX_DAYS = 7

export function inboxProcedures(deps: ConsoleDependencies) {
  const os = implement(consoleContract.inbox).$context<ConsoleContext>()
  const { store, clock, modes, random } = deps
  const magicNumbers = new MagicNumbers(deps)
  return os.router({
    list: os.list.handler(async ({ input: { appId, after, limit } }) => {
      const from = clock.now() - INBOX_DAYS * DAY_MS
      const { rows, next } = await searchIssues(deps, { appId, mode: 'test' }, { after, limit, from })
      const numbers = await Promise.all(rows.map((issue) => magicNumbers.of(issue)))
      return {
        rows: rows.map((issue, index) => {
          const number = numbers[index]
          const code = number && modes.test.newCode(number)
          return {
            ...rowOf(issue, clock.now()),
            ...(number && { scenario: number.scenario, phoneNumber: number.to }),
            // The scenario that refuses every code has none.
            ...(code !== undefined && /^\d{6}$/.test(code) && { code }),
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

/** Stands for a secret test key of the app, so that the console's tries follow every rule of real ones. */
async function testKey(deps: ConsoleDependencies, appId: string, operatorId: string): Promise<ApiKey> {
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
