/** The console's procedures as calls and as queries, and the messages of their failures. */
import { createORPCClient, ORPCError } from '@orpc/client'
import { RPCLink } from '@orpc/client/fetch'
import type { ContractRouterClient } from '@orpc/contract'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import type { ConsoleContract } from '../contract'
import { fieldInWords, type Refused, refusalInWords } from './i18n/refusals'
import { inWords, wordsNow } from './i18n/words'

interface ApiCall {
  /** Value of `X-Request-Id`. */
  requestId?: string
}

const requestIds = new WeakMap<Error, string>()

const link = new RPCLink<ApiCall>({
  url: () => `${location.origin}/console/rpc`,
  interceptors: [
    ({ next, context }) =>
      next().catch((failure: unknown) => {
        if (failure instanceof Error && context.requestId !== undefined) requestIds.set(failure, context.requestId)
        throw failure
      }),
  ],
  clientInterceptors: [
    async ({ next, context }) => {
      const response = await next()
      const requestId = response.headers['x-request-id']
      if (typeof requestId === 'string') context.requestId = requestId
      return response
    },
  ],
})

/** For calls outside components: `await client.keys.revoke({ keyId })`. */
export const client: ContractRouterClient<ConsoleContract, ApiCall> = createORPCClient(link)

/**
 * For components: `useQuery(api.keys.list.queryOptions({ input: { appId } }))`,
 * `useMutation(api.keys.revoke.mutationOptions())`.
 */
export const api = createTanstackQueryUtils(client)

const isSignedOut = (failure: unknown) => failure instanceof ORPCError && failure.code === 'UNAUTHORIZED'

/** If the session has ended, it is fetched again, and the frame leads to the sign-in page. */
function lookAgain(failure: unknown, key?: readonly unknown[]): void {
  const isAboutSession = JSON.stringify(key?.[0]) === '["session","current"]'
  if (isSignedOut(failure) && !isAboutSession) queries.invalidateQueries({ queryKey: api.session.current.key() })
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: (failure, query) => lookAgain(failure, query.queryKey) }),
  mutationCache: new MutationCache({ onError: (failure) => lookAgain(failure) }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Retries only if the server could not be reached.
      retry: (count, failure) => !(failure instanceof ORPCError) && count < 2,
    },
    mutations: { retry: false },
  },
})

/** Give it to `infiniteOptions` of a procedure that answers pages; `fromPages` in `parts/data-table.tsx` shows them. */
export const paging = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: { next?: string | undefined }) => page.next,
}

export interface Problem {
  message: string
  /** The field with the mistake: its name on the server, and its label. */
  param?: string | undefined
  field?: string | undefined
  requestId?: string
  /** `FORBIDDEN`, `BAD_REQUEST`, …; undefined if the server did not answer. */
  code?: string
}

/** Describes any thrown value. */
export function problemOf(failure: unknown): Problem {
  const say = wordsNow(words)
  if (failure instanceof ORPCError) {
    const requestId = requestIds.get(failure)
    const refused = refusedIn(failure)
    const { param } = refused
    const message = refusalInWords(refused, failure.code)
    return { message, param, field: fieldInWords(param), code: failure.code, ...(requestId && { requestId }) }
  }
  if (failure instanceof TypeError && /fetch|network|load failed/i.test(failure.message))
    return { message: say.unreachable }
  return { message: say.unexpected }
}

/** Structured data of a refusal. */
export const refusedIn = (failure: unknown): Refused =>
  failure instanceof ORPCError && typeof failure.data === 'object' ? { ...failure.data } : {}

const words = inWords({
  en: {
    unreachable: 'The server cannot be reached. Is it running, and are you online?',
    unexpected: 'Something went wrong in this page.',
  },
  ko: {
    unreachable: '서버에 연결할 수 없습니다. 서버가 실행 중인지, 네트워크가 연결되어 있는지 확인하세요.',
    unexpected: '페이지에서 문제가 생겼습니다.',
  },
})
