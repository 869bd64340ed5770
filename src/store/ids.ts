/** UUIDv7 as text and as 16 bytes. An id carries its creation time, so a time range is an id range. */

/** Whatever is no hexadecimal digit ends it: what is nobody's id is looked for in vain. */
export const uuidBytes = (value: string) => Buffer.from(value.replaceAll('-', ''), 'hex')

export function uuidText(value: Uint8Array): string {
  const hex = value.toHex()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Smallest id of a row created at or after `at`, Unix milliseconds. */
export function idFloor(at: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.min(Math.max(Math.ceil(at), 0), 2 ** 48 - 1), 0, 6)
  return uuidText(bytes)
}

/** When the row of that id was created, Unix milliseconds. */
export const idTime = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
