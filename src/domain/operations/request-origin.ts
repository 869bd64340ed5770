/** The request that made an issue: what lines of the log and spans of a trace are found by, as long as the issue lives. */
export interface Origin {
  /** `X-Request-Id`. */
  readonly requestId: string
  /** W3C `traceparent` of that request; undefined where it is not traced. */
  readonly trace?: string | undefined
}

/** As it is stored: neither of both has a space. */
export const originText = ({ requestId, trace }: Origin): string => (trace ? `${requestId} ${trace}` : requestId)

export function originOf(text: string): Origin {
  const [requestId = '', trace] = text.split(' ')
  return { requestId, trace }
}
