import { z } from 'zod'
import { verificationStatus } from '../../../contract/issue'
import { at, mode } from '../../admin/contract/base'
import { endOfLeg } from '../../domain/delivery/attempt'
import type { QueueState } from '../../domain/operations/job'
import { SECOND_MS } from '../../domain/shared/value'
import { existingApp } from '../../usecases/administer'
import { type IssueStory, readQueue, tellIssue } from '../../usecases/inspect'
import { rowOf, searchIssues } from '../../usecases/search-issues'
import { inspectorOf } from '../open'
import { iso, table } from '../output'
import { APP_OPTION, adminCommand, group, NO_INPUT, positiveInteger } from './build'

const MOST_LISTED = 1_000

export const issueCommands = () =>
  group('issue', 'issued codes, without personal data', 'list --app app_4k2m9x0c7q1z --since 2027-01-31', {
    show: adminCommand({
      summary: 'show the timeline of one issue: attempts, verification and billing',
      examples: ['0199a3c0-…'],
      input: z.object({ issueId: z.string().describe('<issueId>  issue') }),
      run: (admin, { issueId }) => tellIssue(inspectorOf(admin), issueId),
      json: storyObject,
      lines: storyLines,
    }),
    list: adminCommand({
      summary: 'list the issues of an app, newest first',
      examples: ['--app app_4k2m9x0c7q1z --status expired'],
      input: APP_OPTION.extend({
        mode: mode.default('live').describe('live or test'),
        status: verificationStatus.optional().describe('only these'),
        since: at.optional().describe('issued since'),
        limit: positiveInteger.default(50).describe('how many'),
      }),
      run: async ({ store, clock }, { appId, mode, status, since, limit }) => {
        await existingApp({ store }, appId)
        const search = { status, from: since, limit: Math.min(limit, MOST_LISTED) }
        const { rows, next } = await searchIssues({ store, clock }, { appId, mode }, search)
        const issues = rows.map((found) => {
          const { createdAt, expiresAt, ...row } = rowOf(found, clock.now())
          return { ...row, createdAt: iso(createdAt), expiresAt: iso(expiresAt) }
        })
        return { issues, isAll: next === undefined }
      },
      lines: ({ issues, isAll }, { appId, mode, status, since }) => [
        ...table(
          ['AT', 'ISSUE', 'PURPOSE', 'CHANNEL', 'STATUS', 'VERIFICATION', 'DELIVERY', 'BILLING'],
          issues.map((row) => [
            ...[row.createdAt, row.issueId, row.purpose, row.channel, row.overallStatus, row.verificationStatus],
            ...[row.isAmbiguous ? `${row.deliveryStatus}, outcome unknown` : row.deliveryStatus, row.billingStatus],
          ]),
          status === undefined && since === undefined
            ? `${appId} has no ${mode} issues yet; --mode ${mode === 'live' ? 'test' : 'live'} shows the others. \`POST /v1/issue\` with a ${mode} key creates one.`
            : `${appId} has no such ${mode} issues.`,
        ),
        ...(isAll ? [] : ['There are more: --limit shows up to 1000, --status and --since fewer kinds.']),
      ],
    }),
  })

export const queueCommand = () =>
  adminCommand({
    summary: 'show the jobs that wait to be sent, reported and settled',
    ...NO_INPUT,
    run: (admin) => readQueue(inspectorOf(admin)),
    lines: ({ queue, carriers }) => {
      const row = ({ kind, waiting, due, oldestDueMs }: QueueState, carrier?: string) =>
        [kind, carrier, waiting, due, due > 0 ? `${oldestDueMs} ms` : undefined] as const
      return table(
        ['WORK', 'AT CARRIER', 'WAITING', 'DUE', 'OLDEST DUE FOR'],
        [...queue.map((state) => row(state)), ...carriers.map((state) => row(state, state.carrier))],
        'Nothing waits: all that was asked for is done.',
      )
    },
  })('queue', 'queue')

function storyObject({ issue, verificationStatus, overallStatus, attempts, ledger, webhooks }: IssueStory) {
  const { phoneHash: _, codeHash: __, metadata: ___, prefixHash: ____, networkHash: _____, ...known } = issue
  return {
    ...known,
    verificationStatus,
    overallStatus,
    createdAt: iso(issue.createdAt),
    expiresAt: iso(issue.expiresAt),
    verifiedAt: iso(issue.verifiedAt),
    updatedAt: iso(issue.updatedAt),
    attempts: attempts.map((attempt) => ({
      ...attempt,
      calledAt: iso(attempt.calledAt),
      answeredAt: iso(attempt.answeredAt),
    })),
    ledger: ledger.map(({ entryType, amountDelta, balanceAfter, createdAt }) => ({
      ...{ entryType, amountDelta, balanceAfter, createdAt: iso(createdAt) },
    })),
    webhooks: webhooks.map(({ eventId, endpointId, type, status, attempts, lastStatus, lastError, lastAttemptAt }) => ({
      eventId,
      endpointId,
      type,
      status,
      attempts,
      lastStatus,
      lastError,
      lastAttemptAt: iso(lastAttemptAt),
    })),
  }
}

const LEG_ENDS = { refused: 'was refused', failed: 'was reported as failed', silent: 'was not reported as delivered' }

/** Why the leg before had ended, where this attempt begins another one. */
function whyNow(attempts: IssueStory['attempts'], index: number): string {
  const [before, now] = [attempts[index - 1], attempts[index]]
  if (!before || !now || before.leg === now.leg) return ''
  const { why, afterMs } = endOfLeg(before, now)
  return `, since ${before.leg} ${LEG_ENDS[why]}${why === 'silent' ? ` within ${Math.round(afterMs / SECOND_MS)} s` : ''}`
}

function storyLines({ issue, verificationStatus, overallStatus, attempts, ledger, webhooks }: IssueStory): string[] {
  const told: Array<[number, string]> = [
    [issue.createdAt, `issued for "${issue.purpose}" by ${issue.channel}, ${issue.mode}, app ${issue.appId}`],
    ...attempts.flatMap(
      (
        { number, leg, provider, calledAt, answeredAt, latencyMs, outcome, code, explanation, report, reportedAt },
        index,
      ): Array<[number, string]> => [
        [calledAt, `attempt ${number}: ${leg} to ${provider}${whyNow(attempts, index)}`],
        ...(answeredAt === undefined
          ? []
          : [
              [
                answeredAt,
                `attempt ${number}: ${outcome} after ${latencyMs} ms${code ? `, ${code}` : ''}${explanation ? `: ${explanation}` : ''}`,
              ] as [number, string],
            ]),
        ...(report === undefined || reportedAt === undefined
          ? []
          : [[reportedAt, `attempt ${number}: ${report} by ${leg}, as ${provider} reports`] as [number, string]]),
      ],
    ),
    ...(issue.verifiedAt === undefined
      ? []
      : [[issue.verifiedAt, `verified after ${issue.attemptsUsed} wrong codes`] as [number, string]]),
    ...ledger.map(({ createdAt, entryType, amountDelta }): [number, string] => [
      createdAt,
      `${entryType} ${amountDelta} CREDIT`,
    ]),
    ...webhooks.map(({ createdAt, endpointId, type, status, attempts }): [number, string] => [
      createdAt,
      `${type} to ${endpointId}: ${status} after ${attempts} attempts`,
    ]),
  ]
  return [
    `${issue.issueId}: ${overallStatus} (verification ${verificationStatus}, delivery ${issue.deliveryStatus}${issue.providerOutcomeAmbiguous ? ', outcome unknown' : ''}, billing ${issue.billingStatus})`,
    ...told.sort(([a], [b]) => a - b).map(([at, what]) => `  ${iso(at)}  ${what}`),
    `  expires ${iso(issue.expiresAt)}, ${issue.attemptsUsed} of ${issue.maxAttempts} attempts used`,
  ]
}
