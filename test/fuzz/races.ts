/** The same thing at the same time: what must happen once happens once. */

import type { SeededRandom } from '../support/random'
import { sendRaw } from '../support/raw'
import { type Answer, answersIn } from './answer'
import { type Body, bearer, consoleRpc, type Door, knock, request, type Subject } from './shot'
import type { Target } from './target'

const AT_ONCE = 16
const PHONE = '010-0000-0000'

/** Each run has an app of its own, whose limits nobody has used up. */
interface Racing {
  random: SeededRandom
  target: Target
  appId: string
  /** A secret test key. */
  key: string
}

type Said = Record<string, unknown>

interface Told {
  status: number
  said: Said
}

async function tell({ url }: Target, bytes: Uint8Array): Promise<Told> {
  const [answer] = answersIn(await sendRaw(url, bytes), false)
  return { status: answer?.status ?? 0, said: saidIn(answer) }
}

function saidIn(answer: Answer | undefined): Said {
  const value = JSON.parse(answer?.body || '{}')
  return value.json ?? value
}

const asOwner = async (target: Target, procedure: string, json: object): Promise<Said> =>
  (await tell(target, knock(consoleRpc(target, procedure, 'owner'), '', { json }).request)).said

const atOnce = <T>(times: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => work(index)))

const post = (key: string, path: string, body: Body) => request('POST', path, bearer(key), body)

const order = (random: SeededRandom, more: object = {}) => ({
  phoneNumber: PHONE,
  purpose: `race ${random.below(1e9)}`,
  idempotencyKey: `race-${random.below(1e9)}-${random.below(1e9)}`,
  ...more,
})

const distinct = (told: Told[]) => new Set(told.map(({ said }) => said.issueId)).size

async function oneIdempotencyKey({ random, target, key }: Racing): Promise<string[]> {
  const body = order(random)
  const told = await atOnce(AT_ONCE, () => tell(target, post(key, '/v1/issue', body)))
  const isRight = told.every(({ status }) => status === 200) && distinct(told) === 1
  return isRight ? [] : [`one idempotency key made ${distinct(told)} issues: ${told.map(({ status }) => status)}`]
}

async function oneIdempotencyKeyForTwo({ random, target, key }: Racing): Promise<string[]> {
  const body = order(random)
  const told = await atOnce(AT_ONCE, (index) =>
    tell(target, post(key, '/v1/issue', { ...body, maxAttempts: 1 + (index % 2) })),
  )
  const taken = told.filter(({ status }) => status === 200)
  const isRight = distinct(taken) === 1 && told.every(({ status }) => status === 200 || status === 409)
  return isRight ? [] : [`one idempotency key for two orders: ${told.map(({ status }) => status)}`]
}

/** Of many issues for one phone and purpose the others are replaced. */
async function onePhone({ random, target, key }: Racing): Promise<string[]> {
  const body = order(random)
  const told = await atOnce(AT_ONCE, (index) =>
    tell(target, post(key, '/v1/issue', { ...body, idempotencyKey: `${body.idempotencyKey}-${index}` })),
  )
  const ids = told.flatMap(({ said }) => (typeof said.issueId === 'string' ? [said.issueId] : []))
  const states = await atOnce(ids.length, async (index) => {
    const asking = request('GET', `/v1/status?issueId=${ids[index]}`, bearer(key))
    return (await tell(target, asking)).said.verificationStatus
  })
  const live = states.filter((state) => state === 'issued').length
  return ids.length === AT_ONCE && live === 1 ? [] : [`${live} of ${ids.length} issues for one phone are live`]
}

async function issueOne({ random, target, key }: Omit<Racing, 'appId'>, more: object = {}): Promise<unknown> {
  return (await tell(target, post(key, '/v1/issue', order(random, more)))).said.issueId
}

async function oneRightCode({ random, target, key }: Racing): Promise<string[]> {
  const issueId = await issueOne({ random, target, key })
  const told = await atOnce(AT_ONCE, () => tell(target, post(key, '/v1/verify', { issueId, code: '000000' })))
  const verified = told.filter(({ said }) => said.verified === true).length
  return verified === 1 ? [] : [`a code was right ${verified} times`]
}

const ATTEMPTS = 3

async function wrongCodes({ random, target, key }: Racing): Promise<string[]> {
  const issueId = await issueOne({ random, target, key }, { maxAttempts: ATTEMPTS })
  const told = await atOnce(AT_ONCE, () => tell(target, post(key, '/v1/verify', { issueId, code: '111111' })))
  const guesses = told.filter(({ said }) => said.reasonCode === 'MISMATCH').length
  return guesses === ATTEMPTS - 1 ? [] : [`${guesses} wrong codes of ${ATTEMPTS - 1} were allowed before the last`]
}

/** The caller goes away, and asks again. */
async function goneAway({ random, target, key }: Racing): Promise<string[]> {
  const body = order(random)
  const bytes = post(key, '/v1/issue', body)
  await atOnce(AT_ONCE, (index) => sendRaw(target.url, bytes.subarray(0, bytes.length - (index % 3)), index % 2))
  const told = await atOnce(2, () => tell(target, bytes))
  const isRight = told.every(({ status }) => status === 200) && distinct(told) === 1
  return isRight ? [] : [`callers who went away: ${told.map(({ status }) => status)}`]
}

async function oneReference({ random, target, appId }: Racing): Promise<string[]> {
  const reference = `race-${random.below(1e9)}`
  const door: Door = consoleRpc(target, 'wallet/topUp', 'owner')
  const { request: bytes } = knock(door, '', { json: { appId, amount: 1, reference } })
  const told = await atOnce(AT_ONCE, () => tell(target, bytes))
  const entries = new Set(told.map(({ said }) => said.seq)).size
  return entries === 1 && told.every(({ status }) => status === 200) ? [] : [`one reference made ${entries} entries`]
}

/** No more than the wallet holds is promised. */
async function lastCredit({ random, target, appId }: Racing): Promise<string[]> {
  const { key } = await asOwner(target, 'keys/create', { appId, kind: 'sk', mode: 'live' })
  const { balance } = await asOwner(target, 'wallet/show', { appId })
  const credit = 1 + random.below(4)
  await asOwner(target, 'wallet/topUp', { appId, amount: credit })
  const told = await atOnce(AT_ONCE, (index) =>
    tell(target, post(String(key), '/v1/issue', order(random, { phoneNumber: `010-2000-00${10 + index}` }))),
  )
  const taken = told.filter(({ status }) => status === 200).length
  const isRight = taken === Number(balance) + credit && told.every(({ status }) => status === 200 || status === 402)
  return isRight ? [] : [`${taken} issues for ${balance} + ${credit} credits: ${told.map(({ status }) => status)}`]
}

const RACES = [
  oneIdempotencyKey,
  oneIdempotencyKeyForTwo,
  onePhone,
  oneRightCode,
  wrongCodes,
  goneAway,
  oneReference,
  lastCredit,
]

export const races: Subject = {
  name: 'races',
  shots: () => [],
  async play(random, target) {
    const { appId } = await asOwner(target, 'apps/create', { name: `races ${random.below(1e9)}` })
    const { key } = await asOwner(target, 'keys/create', { appId, kind: 'sk', mode: 'test' })
    const found: string[] = []
    for (const race of RACES) found.push(...(await race({ random, target, appId: String(appId), key: String(key) })))
    return found
  },
}
