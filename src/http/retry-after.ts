/** When who is refused because more comes in than can be done may try again. */
export const COME_BACK_MS = 1_000
