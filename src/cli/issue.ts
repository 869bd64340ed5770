import { type Command, Option } from 'commander'
import { verificationStatus } from '../../contract/issue'
import type { VerificationStatus } from '../domain/issue'
import type { QueueState } from '../domain/job'
import type { Mode } from '../domain/value'
import { existingApp } from '../usecases/administer'
import { type IssueStory, readQueue, tellIssue } from '../usecases/inspect'
import { rowOf, searchIssues } from '../usecases/search-issues'
import { type CommonOptions, command, instant, onData, onDataCommand, oneOrMore } from './command'
import { inspectorOf, type Opened } from './open'
import { iso, type Output, table } from './output'

export function issueCommands(): Command {
  const issue = command(
    'issue',
    'issued codes, without personal data',
    'issue list --app app_4k2m9x0c7q1z --since 2027-01-31',
  )
  issue.addCommand(
    onDataCommand(
      'show',
      'tell the story of one issue: issued, every attempt, verify, billing',
      'issue show 0199a3c0-…',
    )
      .argument('<issueId>', 'issue')
      .action((issueId: string, options: CommonOptions) =>
        onData(options, async (opened, output) => {
          const story = await tellIssue(inspectorOf(opened), issueId)
          output(storyObject(story), storyLines(story))
        }),
      ),
  )
  issue.addCommand(
    onDataCommand(
      'list',
      'list the issues of an app, newest first',
      'issue list --app app_4k2m9x0c7q1z --status expired',
    )
      .requiredOption('--app <id>', 'app')
      .addOption(new Option('--mode <mode>', 'live or test').choices(['live', 'test']).default('live'))
      .addOption(new Option('--status <status>', 'only these').choices(verificationStatus.options))
      .addOption(new Option('--since <date>', 'issued since').argParser(instant))
      .option('--limit <n>', 'how many', oneOrMore, 50)
      .action((options: ListOptions) => onData(options, (opened, output) => listIssues(opened, output, options))),
  )
  return issue
}

interface ListOptions extends CommonOptions {
  app: string
  mode: Mode
  status?: VerificationStatus
  since?: number
  limit: number
}

const MOST_LISTED = 1_000

async function listIssues(
  { store, clock }: Opened,
  output: Output,
  { app: appId, mode, status, since, limit }: ListOptions,
) {
  await existingApp({ store }, appId)
  const search = { status, from: since, limit: Math.min(limit, MOST_LISTED) }
  const { rows, next } = await searchIssues({ store, clock }, { appId, mode }, search)
  const issues = rows.map((row) => rowOf(row, clock.now()))
  const shown = issues.map(({ createdAt, expiresAt, ...row }) => ({
    ...row,
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
  }))
  output({ issues: shown, isAll: next === undefined }, [
    ...table(
      ['AT', 'ISSUE', 'PURPOSE', 'CHANNEL', 'STATUS', 'VERIFICATION', 'DELIVERY', 'BILLING'],
      shown.map((row) => [
        row.createdAt,
        row.issueId,
        row.purpose,
        row.channel,
        row.overallStatus,
        row.verificationStatus,
        row.isAmbiguous ? `${row.deliveryStatus}, outcome unknown` : row.deliveryStatus,
        row.billingStatus,
      ]),
      status === undefined && since === undefined
        ? `${appId} has no ${mode} issues yet; --mode ${mode === 'live' ? 'test' : 'live'} shows the others. \`POST /v1/issue\` with a ${mode} key makes one.`
        : `${appId} has no such ${mode} issues.`,
    ),
    ...(next === undefined ? [] : ['There are more: --limit shows up to 1000, --status and --since fewer kinds.']),
  ])
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
  onDataCommand('queue', 'show what waits to be sent, reported and settled', 'queue').action((options: CommonOptions) =>
    onData(options, async (opened, output) => {
      const report = await readQueue(inspectorOf(opened))
      const row = ({ kind, waiting, due, oldestDueMs }: QueueState, carrier?: string) =>
        [kind, carrier, waiting, due, due > 0 ? `${oldestDueMs} ms` : undefined] as const
      output(
        report,
        table(
          ['WORK', 'AT CARRIER', 'WAITING', 'DUE', 'OLDEST DUE FOR'],
          [...report.queue.map((state) => row(state)), ...report.carriers.map((state) => row(state, state.carrier))],
          'Nothing waits: all that was asked for is done.',
        ),
      )
    }),
  )
