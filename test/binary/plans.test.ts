/**
 * A delivery plan by Meta, an SMS carrier and Twilio's calls, and one by Telegram, where the server is killed at any moment:
 * each way starts at most once, all of them with one code, which verifies once.
 */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { PlannedLeg } from '../../src/domain/delivery/plan'
import { Invariants } from '../simulation/invariants'
import { isNightly } from '../support/depth'
import { type SeededRandom, seededRandom } from '../support/random'
import { seedsOfRun } from '../support/seed'
import { HANGS_AFTER_MS, until } from '../support/until'
import { jsonHere } from './in-process'
import { type Answer, newFolder, type Program, programIn, Server } from './support'
import { startedTooLate } from './torture/findings'
import { type Fate, PUBLIC_URL, refusal, type Start, telegramError, Vendors, type Way } from './vendors'

setDefaultTimeout(HANGS_AFTER_MS)

const SEEDS = seedsOfRun(isNightly ? 20 : 1)
const PLANS: Record<string, PlannedLeg[]> = {
  'whatsapp:8,sms,voice': [{ channel: 'whatsapp', waitSec: 8 }, { channel: 'sms' }, { channel: 'voice' }],
  'telegram:8,sms:8,whatsapp,voice': [
    ...[{ channel: 'telegram', waitSec: 8 } as const, { channel: 'sms', waitSec: 8 } as const],
    ...[{ channel: 'whatsapp' } as const, { channel: 'voice' } as const],
  ],
}
const DAY_MS = 24 * 60 * 60_000

let folder: ReturnType<typeof newFolder>
let vendors: Vendors
let program: Program
let appId = ''
let key = ''
let server: Server
let kills = 0
/** The new server, while it starts. */
let starting: Promise<void> | undefined

beforeEach(async () => {
  folder = newFolder()
  vendors = new Vendors()
  vendors.server = () => server.url
  kills = 0
  program = programIn(folder.path, { WATCHWORD_PUBLIC_URL: PUBLIC_URL })
  appId = (await jsonHere(program, 'app', 'create', 'shop')).appId
  key = (await jsonHere(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live')).key
  await jsonHere(program, 'credit', 'add', '--app', appId, '--amount', '100')
  for (const [name, words] of Object.entries(vendors.carriers)) {
    const { reportSecret } = await jsonHere(program, 'provider', 'set', name, ...words)
    if (name === 'main') vendors.smsSecret = reportSecret
  }
  await jsonHere(program, 'route', 'set', 'voice', 'calls', '--country', 'KR')
})
afterEach(async () => {
  await server.stop('SIGKILL')
  await vendors.stop()
  folder.remove()
})

async function begin(plan: string): Promise<void> {
  await jsonHere(program, 'plan', 'set', appId, 'sms', plan)
  server = await Server.start(program)
}

/** Kills the server and starts another one; `changes` are made to the database in between. Without any, one that starts is left alone. */
async function kill(...changes: string[]): Promise<void> {
  const isLeft = starting !== undefined && changes.length === 0
  while (starting !== undefined) await starting
  if (isLeft) return
  starting = startAnew(changes).finally(() => {
    starting = undefined
  })
  await starting
}

async function startAnew(changes: readonly string[]): Promise<void> {
  kills++
  await server.stop('SIGKILL')
  const db = new Database(databaseFile())
  for (const sql of changes) db.run(sql)
  db.close()
  server = await Server.start(program)
}

const databaseFile = () => join(folder.path, 'watchword-data/watchword.db')
/** Other servers take over what a dead one held after 30 seconds. */
const LEASES_END = 'UPDATE jobs SET run_at = 0 WHERE leased'
const WAITS_END = "UPDATE jobs SET run_at = 0 WHERE kind = 'next-leg'"

function rows<Row>(query: string): Row[] {
  using db = new Database(databaseFile(), { readonly: true })
  return db.query(query).all() as Row[]
}

/** Asks until there is an answer, as apps and carriers do. */
async function answerTo(ask: () => Promise<Answer>): Promise<Answer> {
  let answer: Answer | undefined
  const isAnswered = async () => {
    answer = await ask().catch(() => undefined)
    return answer !== undefined && answer.status !== 503
  }
  await until(isAnswered, 'an answer')
  return answer as Answer
}

async function issue(phone: string): Promise<string> {
  const input = { phoneNumber: phone, purpose: crypto.randomUUID(), idempotencyKey: crypto.randomUUID() }
  const more = { ...input, expiresInSec: 600 }
  const { status, body } = await answerTo(() => server.call('POST', '/v1/issue', key, more))
  expect(status).toBe(200)
  return body.issueId
}

async function report(start: Start, fate: Fate): Promise<number> {
  const { status, body } = await answerTo(async () => {
    const response = await fetch(vendors.reportOn(start, fate, server.url))
    return { status: response.status, headers: response.headers, body: await response.json() }
  })
  expect(status).toBe(200)
  return body.recorded
}

const e164 = (phone: string) => `+82${phone.slice(1).replaceAll('-', '')}`
const waysTo = (phone: string) => vendors.to(e164(phone)).map(({ way }) => way)
const deliveryOf = async (issueId: string) => (await server.status(key, issueId)).deliveryStatus

/** The message on one of the ways, once it is taken. */
async function taken(issueId: string, phone: string, way: Way): Promise<Start> {
  const start = () => vendors.to(e164(phone)).findLast((one) => one.way === way)
  await until(start, `${way} to be asked`)
  const isAnswered = () =>
    rows<{ outcome: string }>(`SELECT outcome FROM attempts WHERE hex(issue_id) = '${hex(issueId)}' AND leg = '${way}'`)
      .map(({ outcome }) => outcome)
      .includes('accepted')
  await until(isAnswered, `the answer of ${way} to be stored`)
  await until(() => start()?.code !== '', 'a call to be heard')
  return start() as Start
}

const hex = (uuid: string) => uuid.replaceAll('-', '').toUpperCase()

/** No message is being sent or about to be, and no wait is over that nobody has looked at. */
const quiet = () =>
  until(
    () =>
      rows("SELECT 1 FROM jobs WHERE kind = 'deliver' OR kind = 'next-leg' AND (leased OR run_at = 0)").length === 0,
    'every message to be sent',
  )

const PHONE = '010-1234-5678'

describe('whatsapp 8 s, sms, voice', () => {
  beforeEach(() => begin('whatsapp:8,sms,voice'))

  test('goes on where one way fails, with the same code, which verifies once for one price', async () => {
    const issueId = await issue(PHONE)
    expect(await report(await taken(issueId, PHONE, 'whatsapp'), 'failed')).toBe(1)
    const text = await taken(issueId, PHONE, 'sms')
    // The SMS has no wait of its own, and does not get what is left of the one of WhatsApp.
    await kill(WAITS_END)
    await quiet()
    expect(waysTo(PHONE)).toEqual(['whatsapp', 'sms'])
    expect(await report(text, 'failed')).toBe(1)
    const call = await taken(issueId, PHONE, 'voice')
    expect(waysTo(PHONE)).toEqual(['whatsapp', 'sms', 'voice'])
    expect(new Set(vendors.starts.map(({ code }) => code)).size).toBe(1)
    expect(await report(call, 'delivered')).toBe(1)
    expect(await deliveryOf(issueId)).toBe('delivered')
    expect((await server.verify(key, issueId, call.code)).body.verified).toBe(true)
    expect((await server.verify(key, issueId, call.code)).body).toMatchObject({ reasonCode: 'ALREADY_VERIFIED' })
    expect(rows('SELECT balance, reserved FROM wallets')).toEqual([{ balance: 99, reserved: 0 }])
  })

  test('goes on after 8 seconds without a delivery, also where the server was dead meanwhile', async () => {
    const issueId = await issue(PHONE)
    const message = await taken(issueId, PHONE, 'whatsapp')
    await kill(WAITS_END)
    await taken(issueId, PHONE, 'sms')
    expect(await report(message, 'delivered')).toBe(1)
    expect(await deliveryOf(issueId)).toBe('delivered')
    await kill(WAITS_END)
    await quiet()
    expect(waysTo(PHONE)).toEqual(['whatsapp', 'sms'])
  })

  test('goes on at once where Meta reports 131026, and leaves WhatsApp out for a day', async () => {
    const first = await issue(PHONE)
    expect(await report(await taken(first, PHONE, 'whatsapp'), 'absent')).toBe(1)
    await taken(first, PHONE, 'sms')
    await kill()
    await taken(await issue(PHONE), PHONE, 'sms')
    expect(waysTo(PHONE)).toEqual(['whatsapp', 'sms', 'sms'])
    await kill(`UPDATE absent_phones SET until = until - ${DAY_MS}`)
    await taken(await issue(PHONE), PHONE, 'whatsapp')
    expect(waysTo(PHONE)).toEqual(['whatsapp', 'sms', 'sms', 'whatsapp'])
  })

  test.each([0, 1, 2])(
    'a server that is killed while way %p is asked asks nobody else until that is reported failed',
    async (at) => {
      const ways = ['whatsapp', 'sms', 'voice'] as const
      let killing: Promise<void> | undefined
      vendors.answer = async ({ way }) => {
        if (way === ways[at]) killing ??= kill(LEASES_END)
        await killing
        return undefined
      }
      const issueId = await issue(PHONE)
      for (const way of ways.slice(0, at)) await report(await taken(issueId, PHONE, way), 'failed')
      await until(() => killing !== undefined, 'the server to be killed')
      await killing
      await quiet()
      const ofIssue = `hex(issue_id) = '${hex(issueId)}'`
      expect(rows(`SELECT leg FROM attempts WHERE ${ofIssue} AND code = 'INTERRUPTED'`)).toEqual([{ leg: ways[at] }])
      await kill(WAITS_END)
      await quiet()
      expect(waysTo(PHONE)).toEqual(ways.slice(0, at + 1))
      for (const start of [...vendors.starts].reverse()) await report(start, 'failed')
      await until(() => waysTo(PHONE).length === Math.min(at + 2, ways.length), 'the next way to be asked')
      await kill(WAITS_END)
      await quiet()
      expect(waysTo(PHONE)).toEqual(ways.slice(0, at + 2))
      await until(() => vendors.starts.at(-1)?.code !== '', 'a call to be heard')
      const { code = '' } = vendors.starts.at(-1) ?? {}
      expect((await server.verify(key, issueId, code)).body.verified).toBe(true)
    },
  )
})

test('a plan that begins with Telegram goes on where a number is not there, and leaves Telegram out for a day', async () => {
  await begin('telegram:8,sms')
  vendors.answer = ({ way }) => (way === 'telegram' ? telegramError('PHONE_NUMBER_NOT_FOUND') : undefined)
  await taken(await issue(PHONE), PHONE, 'sms')
  await taken(await issue(PHONE), PHONE, 'sms')
  expect(waysTo(PHONE)).toEqual(['telegram', 'sms', 'sms'])
  await kill(`UPDATE absent_phones SET until = until - ${DAY_MS}`)
  vendors.answer = () => undefined
  const third = await issue(PHONE)
  expect(await report(await taken(third, PHONE, 'telegram'), 'failed')).toBe(1)
  await until(() => waysTo(PHONE).length === 5, 'the SMS that follows')
  expect(
    new Set(
      vendors
        .to(e164(PHONE))
        .slice(3)
        .map(({ code }) => code),
    ).size,
  ).toBe(1)
})

describe.each(Object.entries(PLANS))('%s, in a story', (plan, legs) => {
  test.each(SEEDS)('kills at any moment, reports in any order, late and twice: seed %p', async (seed) => {
    await begin(plan)
    await new Story(seed, legs).tell()
  })
})

const ISSUES_AT_LEAST = 12
const KILLS_AT_LEAST = 5
interface Known {
  issueId: string
  phone: string
  answer: { issueId: string }
  /** When it was answered that the code was used; Unix milliseconds. */
  endedAt?: number
  /** Answers that say it was used just now. */
  verified: number
}

class Story {
  readonly #random: SeededRandom
  readonly #issues: Known[] = []
  readonly #lines: string[] = []

  constructor(
    private readonly seed: number,
    private readonly legs: readonly PlannedLeg[],
  ) {
    this.#random = seededRandom(seed)
    vendors.answer = (start) => this.#answerTo(start)
  }

  async tell(): Promise<void> {
    try {
      while (this.#issues.length < ISSUES_AT_LEAST || kills < KILLS_AT_LEAST) await this.#step()
      await this.#end()
    } catch (error) {
      throw new Error(`seed ${this.seed} (TEST_SEED=${this.seed}): ${error}\n${this.#lines.slice(-20).join('\n')}`)
    }
  }

  /** A vendor takes the message, refuses it, or the server dies before or after the answer. */
  async #answerTo(start: Start): Promise<Response | undefined> {
    const { chance } = this.#random
    if (chance(0.1)) await this.#kill(`${start.way} is asked`)
    if (chance(0.15)) return refusal[start.way]()
    if (chance(0.1)) void this.#kill(`${start.way} answers`)
    return undefined
  }

  #kill(when: string): Promise<void> {
    this.#lines.push(`killed when ${when}`)
    return kill(...(this.#random.chance(0.5) ? [LEASES_END] : []))
  }

  async #issue(): Promise<void> {
    const phone = `010-2000-${1_000 + this.#issues.length}`
    const issueId = await issue(phone)
    this.#issues.push({ issueId, phone, answer: { issueId }, verified: 0 })
  }

  async #step(): Promise<void> {
    const { chance, pick } = this.#random
    if (chance(0.25)) return this.#issue()
    if (chance(0.1)) {
      this.#lines.push('8 seconds pass')
      return kill(WAITS_END)
    }
    const calls: Promise<void>[] = []
    // Mostly on what was sent lately: that is not over yet.
    const start = chance(0.7) ? vendors.starts.at(-1) : vendors.starts[this.#random.below(vendors.starts.length)]
    if (start) calls.push(this.#report(start), this.#report(start))
    const known = chance(0.15) && this.#issues.length > 0 ? pick(this.#issues) : undefined
    if (known) calls.push(this.#verify(known), this.#verify(known))
    if (chance(0.1)) calls.push(this.#kill('reports and codes arrive'))
    await Promise.all(calls)
  }

  async #report(start: Start): Promise<void> {
    const fate = this.#random.pick(['delivered', 'failed', 'failed', 'failed', 'absent'] as const)
    const recorded = await report(start, fate)
    this.#lines.push(`${start.way} to ${start.to} reported ${fate}: ${recorded}`)
  }

  async #verify(known: Known): Promise<void> {
    const { code } = vendors.to(e164(known.phone)).at(-1) ?? {}
    if (!code) return
    const { body } = await answerTo(() => server.verify(key, known.issueId, code))
    this.#lines.push(`verified ${known.phone}: ${body.reasonCode ?? body.verified}`)
    expect(body.verified || body.reasonCode === 'ALREADY_VERIFIED').toBe(true)
    known.endedAt ??= Date.now()
    if (body.verified) known.verified++
  }

  /** Vendors take everything, waits and leases end, and then a day passes. */
  async #end(): Promise<void> {
    vendors.answer = () => undefined
    await starting
    for (const _ of this.legs) {
      await kill(LEASES_END, WAITS_END)
      await quiet()
    }
    this.#check()
    for (const known of this.#issues) await this.#verify(known)
    const started = vendors.starts.length
    await kill(
      `UPDATE issues SET expires_at = expires_at - ${DAY_MS}`,
      `UPDATE attempts SET awaited_at = awaited_at - ${DAY_MS} WHERE awaited_at IS NOT NULL`,
      `UPDATE jobs SET run_at = run_at - ${DAY_MS}`,
    )
    await until(() => rows('SELECT 1 FROM jobs').length === 0, 'every job to be done')
    const used = "SELECT 1 FROM issues WHERE verification_status = 'issued'"
    await until(() => rows(used).length === 0, 'every code to end')
    await server.stop('SIGTERM')
    expect(vendors.starts.slice(started)).toEqual([])
    const invariants = new Invariants(databaseFile(), [])
    expect(invariants.unfinished()).toBeUndefined()
    invariants.close()
    expect(rows('SELECT issue_id FROM issues').length).toBe(this.#issues.length)
  }

  #check(): void {
    // Waits were ended by the test; a leg without one is never left by time.
    const legs = this.legs.map(({ waitSec, ...leg }) => (waitSec === undefined ? leg : { ...leg, waitSec: 0 }))
    const invariants = new Invariants(databaseFile(), [], [{ channel: 'sms', legs }])
    expect(invariants.broken()).toBeUndefined()
    invariants.close()
    using db = new Database(databaseFile(), { readonly: true })
    expect(startedTooLate(db, { carrier: { delivered: new Map() }, clients: { issues: this.#issues } })).toEqual([])
    for (const { phone, verified } of this.#issues) {
      const starts = vendors.to(e164(phone))
      const order = starts.map(({ way }) => this.legs.findIndex(({ channel }) => channel === way))
      expect(order).toEqual([...new Set(order)].sort())
      // A server may have died before it asked a carrier. That code is never sent.
      expect(new Set(starts.flatMap(({ code }) => code || [])).size).toBeLessThanOrEqual(1)
      expect(verified).toBeLessThanOrEqual(1)
    }
  }
}
