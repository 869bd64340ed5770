/** Lets others have their turn of the event loop: reads are synchronous, and long ones go in steps. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
