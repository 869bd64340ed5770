import { Command } from 'commander'
import type { QueueState } from '../ports'
import { type IssueStory, readQueue, tellIssue } from '../usecases/inspect'
import { type CommonOptions, onData, onDataCommand } from './command'
import { inspectorOf } from './open'
import { iso } from './output'

export function issueCommands(): Command {
  const issue = new Command('issue').description('issued codes, without personal data')
  issue.addCommand(
    onDataCommand('show', 'tell the story of one issue: issued, every attempt, verify, billing')
      .argument('<issueId>', 'issue')
      .action((issueId: string, options: CommonOptions) =>
        onData(options, async (opened, output) => {
          const story = await tellIssue(inspectorOf(opened), issueId)
          output(storyObject(story), storyLines(story))
        }),
      ),
  )
  return issue
}

function storyObject({ issue, verificationStatus, overallStatus, attempts, ledger, webhooks }: IssueStory) {
  const { phoneHash: _, codeHash: __, metadata: ___, ...known } = issue
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
      entryType,
      amountDelta,
      balanceAfter,
      createdAt: iso(createdAt),
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

function storyLines({ issue, verificationStatus, overallStatus, attempts, ledger, webhooks }: IssueStory): string[] {
  const told: Array<[number, string]> = [
    [issue.createdAt, `issued for "${issue.purpose}" by ${issue.channel}, ${issue.mode}, app ${issue.appId}`],
    ...attempts.flatMap(
      ({
        number,
        leg,
        provider,
        calledAt,
        answeredAt,
        latencyMs,
        outcome,
        code,
        explanation,
      }): Array<[number, string]> => [
        [calledAt, `attempt ${number}: ${leg} to ${provider}`],
        ...(answeredAt === undefined
          ? []
          : [
              [
                answeredAt,
                `attempt ${number}: ${outcome} after ${latencyMs} ms${code ? `, ${code}` : ''}${explanation ? `: ${explanation}` : ''}`,
              ] as [number, string],
            ]),
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

export const queueCommand = (): Command =>
  onDataCommand('queue', 'show what waits to be sent, reported and settled').action((options: CommonOptions) =>
    onData(options, async (opened, output) => {
      const report = await readQueue(inspectorOf(opened))
      const line = ({ waiting, due, oldestDueMs }: QueueState) =>
        `${waiting} waiting, ${due} due${due > 0 ? `, the oldest for ${oldestDueMs} ms` : ''}`
      output(report, [
        ...report.queue.map((state) => `${state.kind}: ${line(state)}`),
        ...report.carriers.map((state) => `  ${state.kind} by ${state.carrier}: ${line(state)}`),
      ])
    }),
  )
