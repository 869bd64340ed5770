/** Path of the licence notice inside the binary. `build.ts` replaces this module; from source there is no notice. */
export const embedded: string | undefined = undefined
