/**
 * Servers and their database are killed while clients issue and verify. Then the history of answers is held against what the
 * server says: an answer that a client read must have been kept.
 */
import { Clients, type KnownIssue } from './clients'
import type { TestedServer } from './rule'
import type { SeededChoice } from './seeded-choice'
import type { RuleResult } from './suite'

export interface KillableServices {
  names(): Promise<string[]>
  kill(name: string): Promise<void>
  start(name: string): Promise<void>
}

interface FaultOptions {
  server: TestedServer
  services: KillableServices
  kills: number
  choice: SeededChoice
  pause(ms: number): Promise<void>
  onEvent(text: string): void
}

const CLIENTS = 3
/** A test key may issue 120 codes a minute. */
const BETWEEN_CALLS_MS = 1_500
const DOWN_MS = 1_500
const COMES_BACK_MS = 120_000

export async function holdUnderFaults(options: FaultOptions): Promise<RuleResult[]> {
  const { server, services, kills, choice, pause, onEvent } = options
  const begun = server.now()
  const [run, before] = [server.unique(), (await server.call('balance')).body]
  const clients = new Clients(choice, { post: postTo(server, options) }, phonesOf(server, run))
  const names = await services.names()
  clients.start(CLIENTS)
  let lost: string | undefined
  for (let kill = 0; kill < kills && lost === undefined; kill++) {
    await clients.nextCall()
    await pause(choice.below(100))
    const name = choice.pick(names)
    onEvent(`kill ${kill + 1} of ${kills}: ${name}`)
    await services.kill(name)
    await pause(choice.below(DOWN_MS))
    await services.start(name)
    if (!(await answersAgain(server, pause))) lost = `${name} was started, and the server does not answer`
  }
  if (lost === undefined) {
    await clients.finish()
    await clients.replayAll()
  } else clients.giveUp()
  const { issues, found, unanswered } = clients
  onEvent(`${issues.length} codes were answered, and ${unanswered} answers were lost`)
  const forgotten = lost === undefined ? await forgottenBy(server, issues) : []
  const money = lost === undefined ? await wrongMoney(server, before) : []
  const result = (promise: string, broken: readonly string[]): RuleResult => ({
    ...{ name: `Under faults: ${promise}`, part: 'Under faults', durationMs: server.now() - begun },
    ...(broken.length === 0 ? { outcome: 'kept' } : { outcome: 'broken', reason: broken.slice(0, 5).join('; ') }),
  })
  return [
    result('the server answers again after each kill', lost === undefined ? [] : [lost]),
    result('no code is accepted twice, and a replay is the first answer', found),
    result('what was answered is kept, with no attempt beyond the limit', forgotten),
    result('the balance is that of before, and the ledger agrees', money),
  ]
}

/** How many results there are. */
export const CHECKS = 4

/** Each run has numbers and texts of its own: a key of another run would be replayed. */
const phonesOf = (server: TestedServer, run: string) => ({
  codesFor: () => ['000000'],
  numberOf: () => server.freshNumber(),
  run,
})

const postTo =
  (server: TestedServer, { choice, pause }: FaultOptions) =>
  async (path: string, body: object) => {
    await pause(choice.below(BETWEEN_CALLS_MS))
    const answer = await server.call(path === '/v1/issue' ? 'issue' : 'verify', body)
    // A proxy in front of a server that is down.
    if (answer.status === 502 || answer.status === 504) throw new Error(`${answer.status} of a proxy`)
    return answer
  }

async function answersAgain(server: TestedServer, pause: FaultOptions['pause']): Promise<boolean> {
  const until = server.now() + COMES_BACK_MS
  while (server.now() < until) {
    const answer = await server.call('balance').catch(() => undefined)
    if (answer?.status === 200) return true
    await pause(100)
  }
  return false
}

async function forgottenBy(server: TestedServer, issues: readonly KnownIssue[]): Promise<string[]> {
  const found: string[] = []
  for (const { request, answer, isVerified, mismatches, unansweredVerifies } of issues) {
    const { status, body } = await server.call('status', { issueId: answer.issueId })
    const name = `${request.idempotencyKey} (${answer.issueId})`
    if (status !== 200) found.push(`${name} was answered and is not stored: ${status}`)
    else if (isVerified && body.verificationStatus !== 'verified')
      found.push(`${name} was verified and is ${body.verificationStatus}`)
    else if (body.attemptsUsed < mismatches || body.attemptsUsed > mismatches + unansweredVerifies + 1)
      found.push(`${name} has used ${body.attemptsUsed} attempts, and ${mismatches} wrong codes were answered`)
    else if (body.attemptsUsed > request.maxAttempts)
      found.push(`${name} has used ${body.attemptsUsed} of ${request.maxAttempts} attempts`)
  }
  return found
}

/** In test mode nothing is charged. */
async function wrongMoney(server: TestedServer, before: { balance: number }): Promise<string[]> {
  const [{ balance }, { items }] = [(await server.call('balance')).body, (await server.call('listCreditLedger')).body]
  if (balance !== before.balance) return [`the balance is ${balance} instead of ${before.balance}`]
  return items.length === 0 ? [] : [`the ledger of test mode has ${items.length} entries`]
}
