/** When who is refused because more comes in than can be done may try again. */
export const RETRY_AFTER_MS = 1_000
