/** The carrier and receiver of a benchmark, as whoever has started it sees it. */
import { CA } from '../test/system/certificate'
import type { Arrival, Counted } from './carrier'
import type { Service } from './processes'

export const counted = (outside: Service) => ask<Counted>(outside, '/count')

/** From here on it notes what comes, until it is asked what came. */
export async function listen({ url }: Service): Promise<void> {
  await fetch(`${url}/listen`, TRUSTING)
}

/** By number. */
export const arrivalsAt = (outside: Service) => ask<Record<string, Arrival>>(outside, '/arrivals')

const TRUSTING = { tls: { ca: CA } }

const ask = async <T>({ url }: Service, path: string) => (await (await fetch(`${url}${path}`, TRUSTING)).json()) as T
