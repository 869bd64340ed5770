/** Chance, from a cryptographic source. */

export interface Random {
  bytes(length: number): Uint8Array
  /** Uniform over 0 … max − 1, from a cryptographic source. */
  below(max: number): number
  /** A time-ordered UUIDv7 of that instant. */
  uuid(now: number): string
}
