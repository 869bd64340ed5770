/** Apps with credit, and the carriers that they are tortured with. */
import { CHANNELS, type Leg } from '../../../contract/constants'
import { LEGS_MAX, type PlannedLeg } from '../../../src/domain/delivery/plan'
import type { PlanOfApp } from '../../simulation/invariants'
import type { SeededRandom } from '../../support/random'
import { type Program, runJson } from '../support'
import type { TortureCarrier } from './carrier'
import { SILENT_PROVIDER } from './findings'

const CREDIT = 1_000_000
/** One without a delivery plan, and those that have plans. */
export const APPS = 1 + LEGS_MAX / CHANNELS.length

/** Answers the app's key. */
export async function furnish(program: Program, carrier: TortureCarrier): Promise<string> {
  const { key } = await anApp(program)
  await provide(program, carrier, [
    ['main', 'sms'],
    [SILENT_PROVIDER, 'sms'],
    ['kakao', 'alimtalk'],
  ])
  return key
}

/** Apps with delivery plans of one to four legs, for each channel that callers ask for. */
export async function furnishPlans(
  program: Program,
  carrier: TortureCarrier,
  random: SeededRandom,
): Promise<{ keys: string[]; plans: PlanOfApp[] }> {
  await provide(program, carrier, [
    ['meta', 'whatsapp'],
    ['telegram', 'telegram'],
    ['calls', 'voice'],
  ])
  await runJson(program, 'route', 'set', 'voice', 'calls', '--country', 'KR')
  const [keys, plans]: [string[], PlanOfApp[]] = [[], []]
  while (plans.length < LEGS_MAX) {
    const { appId, key } = await anApp(program)
    keys.push(key)
    for (const channel of CHANNELS) {
      const legs = drawnLegs(random, plans.length + 1)
      const words = legs.map((leg) => (leg.waitSec === undefined ? leg.channel : `${leg.channel}:${leg.waitSec}`))
      await runJson(program, 'plan', 'set', appId, channel, words.join(','))
      plans.push({ appId, channel, legs })
    }
  }
  return { keys, plans }
}

/** In any order, with waits as short as they may be, or none. */
function drawnLegs(random: SeededRandom, count: number): PlannedLeg[] {
  const left: Leg[] = ['whatsapp', 'telegram', 'voice', 'sms', 'alimtalk']
  return Array.from({ length: count }, (_, at) => {
    const [channel = 'sms'] = left.splice(random.below(left.length), 1)
    const waits = at < count - 1 && random.chance(0.6)
    return { channel, ...(waits && { waitSec: 1 + random.below(2) }) }
  })
}

async function anApp(program: Program): Promise<{ appId: string; key: string }> {
  const { appId } = await runJson(program, 'app', 'create', 'tortured')
  const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live')
  await runJson(program, 'credit', 'add', '--app', appId, '--amount', String(CREDIT))
  return { appId, key }
}

async function provide(
  program: Program,
  carrier: TortureCarrier,
  carriers: ReadonlyArray<[name: string, channel: Leg]>,
): Promise<void> {
  for (const [name, channel] of carriers) {
    const target = ['--type', 'http', '--channel', channel, '--url', carrier.urlOf(name)]
    const reports = name === SILENT_PROVIDER ? [] : ['--reports']
    const { reportSecret } = await runJson(program, 'provider', 'set', name, ...target, ...reports)
    carrier.hasSecret(name, reportSecret)
  }
}

/** Asks a server by the interface. `signal`: until when. */
export async function postTo(url: string, key: string, path: string, body: object, signal?: AbortSignal) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    keepalive: false,
    ...(signal && { signal }),
  })
  return { status: response.status, body: await response.json() }
}
