/** Chooses the carrier and the delay of the next try on a leg. Decisions: "Delivery (live)", retryable refusals. */

import type { Message } from '../message/message'
import type { Leg } from '../shared/value'
import type { CarrierConfig } from './carrier'
import { canFallBack, type Retry } from './delivery'

/** Carriers of a channel in order of preference, for one country or app, or for all. */
export interface Route {
  channel: Leg
  /** ISO 3166; undefined: every country. */
  country: string | undefined
  /** Undefined: every app. */
  appId: string | undefined
  carriers: readonly string[]
}

export interface RoutedMessage {
  channel: Leg
  appId: string
  country: string | undefined
}

/** Channels whose messages cost so much that each country is opened by a route of its own. */
const CLOSED_BY_DEFAULT: readonly Leg[] = ['voice']
export const needsCountry = (channel: Leg) => CLOSED_BY_DEFAULT.includes(channel)

/** The most specific route wins: app and country, then app, then country, then channel. */
export function chooseRoute(routes: readonly Route[], whom: RoutedMessage): Route | undefined {
  const fits = ({ channel, country, appId }: Route) =>
    channel === whom.channel &&
    (country === undefined || country === whom.country) &&
    (appId === undefined || appId === whom.appId)
  const weight = ({ country, appId }: Route) => (appId === undefined ? 0 : 2) + (country === undefined ? 0 : 1)
  return routes.filter(fits).sort((a, b) => weight(b) - weight(a))[0]
}

/**
 * The carriers of a message in their order, paused ones included: those of its route, else every carrier of the channel in the order
 * of adding.
 */
export function carriersOf<C extends Pick<CarrierConfig, 'name' | 'channels'>>(
  configured: readonly C[],
  route: Route | undefined,
  channel: Leg,
): C[] {
  const serving = configured.filter(({ channels }) => channels.includes(channel))
  if (!route && needsCountry(channel)) return []
  const routed = route?.carriers.flatMap((name) => serving.find((config) => config.name === name) ?? [])
  // A route all of whose carriers were removed must not silence the channel.
  return routed?.length ? routed : serving
}

/** A refused try on this leg. */
export interface RefusedTry {
  carrier: string
  retry: Retry | undefined
}

const TRIES_PER_PROVIDER = 3
const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 15_000

/** A carrier that refused this message and may take others is not asked again for it. */
const usableOf = (route: readonly string[], tried: readonly RefusedTry[]) =>
  route.filter((name) => !tried.some(({ carrier, retry }) => carrier === name && retry === 'elsewhere'))

const triesOf = (tried: readonly RefusedTry[], name: string) => tried.filter(({ carrier }) => carrier === name).length

/** Each carrier of the route gets a few tries in turn, the last one all the rest. */
export function nextCarrier(route: readonly string[], tried: readonly RefusedTry[]): string | undefined {
  const usable = usableOf(route, tried)
  return usable.find((name) => triesOf(tried, name) < TRIES_PER_PROVIDER) ?? usable.at(-1)
}

interface RetryPlan {
  route: readonly string[]
  /** Oldest first, the one just refused included. */
  tried: readonly RefusedTry[]
  /** Random number, 0 to 1. */
  jitter: number
  now: number
}

/**
 * Wait before the next try, or undefined when the leg is exhausted. The first try at another carrier waits for nothing.
 * A leg that can fall back gives up after the route; a last leg keeps trying while the code lives.
 */
export function retryDelayMs(message: Message, { route, tried, jitter, now }: RetryPlan): number | undefined {
  const next = nextCarrier(route, tried)
  if (next === undefined) return undefined
  const tries = triesOf(tried, next)
  if (tries >= TRIES_PER_PROVIDER && canFallBack(message)) return undefined
  const movesOn = tried.at(-1)?.carrier !== next
  const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (tries - 1), MAX_BACKOFF_MS)
  const delayMs = movesOn ? 0 : Math.round(backoffMs * (0.8 + 0.4 * jitter))
  return now + delayMs < message.expiresAt ? delayMs : undefined
}
