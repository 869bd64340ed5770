/** Where the notice lies inside the binary. From source there is none; `build.ts` puts it in this module's place. */
export const embedded: string | undefined = undefined
