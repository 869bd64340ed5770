/** A request that is finished but for the headers that sign it. */
export interface UnsignedRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string | undefined
}
