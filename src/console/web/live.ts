/**
 * Keeps open pages up to date: the server tells what has changed, and the queries about it are fetched again. A hidden
 * page follows nothing, since a browser opens only six connections to a server over HTTP/1.1.
 */
import { ORPCError } from '@orpc/client'
import type { QueryKey } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ChangeTopic } from '../../domain/operations/change'
import { api, client, queries } from './api'

/** While changes are told, pages ask this seldom; otherwise as often as before there were any. */
const TOLD_MS = 60_000
const UNTOLD_MS = 5_000
/** A change is shown at once, and further ones of its topic after this time. */
const REST_MS = 2_000
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 30_000
/** A refresh reloads every loaded page, so a long table stops refreshing. */
const PAGES_AT_MOST = 3

/** Settings are also those that another process has changed, which may be anything. */
const KEYS: Readonly<Record<ChangeTopic, readonly QueryKey[]>> = {
  settings: [[]],
  issues: [api.issues.key(), api.inbox.key(), api.usage.key(), api.relays.key(), api.system.key(), api.overview.key()],
  wallet: [api.wallet.key(), api.overview.key()],
  webhooks: [api.webhooks.key(), api.issues.key(), api.overview.key()],
  carriers: [api.carriers.key(), api.system.key(), api.overview.key()],
  protection: [api.protection.key(), api.overview.key()],
  notices: [api.notices.key()],
  people: [api.operators.key(), api.session.key()],
  audit: [api.audit.key()],
}

let isTold = false

/** `refetchInterval` of every query that shows what may change. */
export const safetyNet = () => (isTold ? TOLD_MS : UNTOLD_MS)

interface Paged {
  state: { data?: unknown }
}

const isShort = ({ state: { data } }: Paged): boolean => {
  const { pages = [] } = (data ?? {}) as { pages?: readonly unknown[] }
  return pages.length <= PAGES_AT_MOST
}

/** `safetyNet` of tables. */
export const safetyNetWhileShort = (query: Paged) => isShort(query) && safetyNet()

const refresh = (queryKey: QueryKey) =>
  void queries.invalidateQueries({ queryKey, predicate: isShort }, { cancelRefetch: false })

const resting = new Map<ChangeTopic, { isDue: boolean }>()

function changed(topic: ChangeTopic): void {
  const known = resting.get(topic)
  if (known) {
    known.isDue = true
    return
  }
  for (const key of KEYS[topic]) refresh(key)
  const rest = { isDue: false }
  resting.set(topic, rest)
  setTimeout(() => {
    resting.delete(topic)
    if (rest.isDue) changed(topic)
  }, REST_MS)
}

/** Follows until `signal` aborts, and again after each end. */
async function follow(signal: AbortSignal): Promise<void> {
  let waitMs = FIRST_RETRY_MS
  while (!signal.aborted) {
    try {
      for await (const { topics } of await client.live.changes(undefined, { signal })) {
        // A change from before is not told.
        if (!isTold) refresh([])
        isTold = true
        waitMs = FIRST_RETRY_MS
        for (const topic of topics) changed(topic)
      }
    } catch (failure) {
      // The frame then leads to the sign-in page.
      if (failure instanceof ORPCError && failure.code === 'UNAUTHORIZED') refresh(api.session.key())
    }
    isTold = false
    if (signal.aborted) return
    // Pages that lost the same server do not come back all at once.
    await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random())))
    waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)
  }
}

/** For the frame of all pages that need a session. */
export function useLive(): void {
  useEffect(() => {
    let following: AbortController | undefined
    const look = () => {
      if (document.hidden) following?.abort()
      if (document.hidden || (following && !following.signal.aborted)) return
      following = new AbortController()
      void follow(following.signal)
    }
    look()
    document.addEventListener('visibilitychange', look)
    return () => {
      document.removeEventListener('visibilitychange', look)
      following?.abort()
    }
  }, [])
}
