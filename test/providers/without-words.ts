import type { Carrier, ReportedMessage } from '../../src/ports/carrier'

/** Only the verdict counts where a vendor's codes are tested. The words beside them are tested in `words.test.ts`. */
export function withoutWords(carrier: Carrier): Carrier {
  const { send, query, readReports } = carrier
  const bare = <T extends object>({ said: _, ...rest }: T & { said?: unknown }) => rest as T
  const bareReports = (reports: ReportedMessage[] | undefined) => reports?.map(bare)
  return {
    ...carrier,
    send: async (message) => bare(await send(message)),
    ...(query && { query: async (awaited) => bare(await query(awaited)) }),
    ...(readReports && {
      readReports(callback) {
        const read = readReports(callback)
        return read instanceof Promise ? read.then(bareReports) : bareReports(read)
      },
    }),
  }
}
