/** How often what is looked at is asked for again. */

const LIVE_MS = 3_000
/** Every page that is shown is asked for again, so a long table stands still until it is opened anew. */
const PAGES_AT_MOST = 3

interface Paged {
  state: { data?: { pages: readonly unknown[] } | undefined }
}

/** For tables: `refetchInterval: whileShort`. */
export const whileShort = ({ state: { data } }: Paged): number | false =>
  (data?.pages.length ?? 0) <= PAGES_AT_MOST ? LIVE_MS : false
