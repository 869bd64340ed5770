/** Explains which carrier would get a code for a number now, and why. Nothing is sent, stored or logged. */
import { assessPlace } from '../abuse/rules/assess'
import { standingOf } from '../abuse/rules/failure-budget'
import { protectionOf } from '../abuse/rules/protection'
import type { Rule } from '../abuse/rules/rule'
import type { App } from '../domain/access/app'
import { legsOf } from '../domain/delivery/delivery'
import { type PlannedLeg, plannedLegs } from '../domain/delivery/plan'
import { carriersOf, chooseRoute, type Route } from '../domain/delivery/route'
import { liveRecipient, type Numbering, prefixOf, type Recipient } from '../domain/phone/phone'
import { missing } from '../domain/shared/error'
import type { Channel } from '../domain/shared/value'
import type { PriceList } from '../domain/wallet/wallet'
import type { Clock } from '../ports/clock'
import type { Store } from '../ports/store'
import type { Traffic } from '../ports/traffic'
import type { Vault } from '../ports/vault'
import { type InspectDependencies, listCarriers } from './inspect'

interface ExplainDependencies extends Pick<InspectDependencies, 'explain'> {
  store: Store
  clock: Pick<Clock, 'now'>
  vault: Pick<Vault, 'phoneHash' | 'prefixHash'>
  numbering: Numbering
  prices: PriceList
  /** The counters of this server. The command line has none. */
  traffic?: Pick<Traffic, 'acquire'>
}

export interface RouteQuestion {
  appId: string
  to: string
  channel: Channel
  /** The kind of key that would ask for the code. */
  kind: 'sk' | 'pk'
}

export interface ExplainedCarrier {
  name: string
  /** `next` is asked first, `later` where those before it refuse; `unheeded` is not in the route. */
  state: 'next' | 'later' | 'unhealthy' | 'paused' | 'unheeded'
  /** Since when it is unhealthy or paused, and with which code. */
  since?: number | undefined
  code?: string | undefined
  explanation?: string | undefined
}

export interface ExplainedLeg extends PlannedLeg {
  /** The phone is known not to be on this channel, so the leg is passed over. */
  isAbsent: boolean
  /** The route that applies. Without one every carrier of the channel is tried in the order it was added. */
  route: Omit<Route, 'carriers' | 'channel'> | undefined
  carriers: ExplainedCarrier[]
}

export interface ExplainedRoute {
  country: string | undefined
  /** The app has a delivery plan for it. */
  isPlanned: boolean
  /** The rules that would refuse the code now. */
  refusals: Rule[]
  legs: ExplainedLeg[]
}

/** Throws `not_found` for an unknown app, and `invalid` for an impossible number. */
export async function explainRoute(deps: ExplainDependencies, asked: RouteQuestion): Promise<ExplainedRoute> {
  const { store, clock, vault, numbering } = deps
  const { read } = store
  const app = await read.apps.find(asked.appId)
  if (!app) throw missing('app', asked.appId)
  const { channel, appId } = asked
  const recipient = liveRecipient(asked.to, { ...numbering, region: app.region ?? numbering.region })
  const { country } = recipient
  const phoneHash = vault.phoneHash(recipient.identity)
  const planned = app.plans && plannedLegs(app.plans, { channel, country, smsFallback: true })
  const absent = await read.phones.absentFrom(phoneHash, clock.now())
  const [configured, routes, states] = await Promise.all([read.carriers.all(), read.routes.all(), listCarriers(deps)])

  const explainedLeg = (leg: PlannedLeg): ExplainedLeg => {
    const route = chooseRoute(routes, { channel: leg.channel, appId, country })
    const names = carriersOf(configured, route, leg.channel).map(({ name }) => name)
    const others = states.filter(({ name, channels }) => !names.includes(name) && channels.includes(leg.channel))
    const inOrder = names.flatMap((name) => states.find((state) => state.name === name) ?? [])
    const first = inOrder.find(({ state }) => state === 'healthy')
    const carriers = inOrder.map(({ name, state, since, code, explanation }) => ({
      ...{ name, since, code, explanation },
      state: state !== 'healthy' ? state : name === first?.name ? ('next' as const) : ('later' as const),
    }))
    return {
      ...leg,
      isAbsent: absent.includes(leg.channel),
      route: route && { country: route.country, appId: route.appId },
      carriers: [...carriers, ...others.map(({ name }) => ({ name, state: 'unheeded' as const }))],
    }
  }
  return {
    country,
    isPlanned: planned !== undefined,
    refusals: await refusalsOf(deps, app, { recipient, phoneHash, asked }),
    legs: legsOf({ legs: planned, leg: channel, channel, smsFallback: true }).map(explainedLeg),
  }
}

async function refusalsOf(
  { store, clock, vault, numbering, prices, traffic }: ExplainDependencies,
  app: App,
  { recipient, phoneHash, asked }: { recipient: Recipient; phoneHash: Uint8Array; asked: RouteQuestion },
): Promise<Rule[]> {
  const { appId, kind, channel } = asked
  const { read } = store
  const now = clock.now()
  const protection = protectionOf(app)
  const digits = prefixOf(recipient.to)
  const facts = {
    ...{ kind, home: app.region ?? numbering.region, country: recipient.country, digits },
    ...{ withoutTexts: recipient.withoutTexts, address: undefined, network: undefined },
    ...{ phone: phoneHash.toHex(), prefix: vault.prefixHash(digits).toHex() },
  }
  const price = prices[channel]
  const pending = await traffic?.acquire(appId, facts)
  const hit = pending ? pending.assess(protection, price) : assessPlace(protection, facts, now)
  pending?.release(undefined)
  const counts = await read.phones.failures(appId, [phoneHash])
  const standings = counts
    .filter((one) => one.kind === kind)
    .map(({ failures }) => standingOf(failures, protection, now).rule)
  const { balance = 0, reserved = 0, overdraftLimit = 0 } = (await read.wallets.find(appId)) ?? {}
  return [
    ...(hit?.isRefused ? [hit.rule] : []),
    ...(protection.failures === 'block' ? standings.flatMap((rule) => rule ?? []) : []),
    ...(balance - reserved - price < -overdraftLimit ? ['no_credit' as const] : []),
  ]
}
