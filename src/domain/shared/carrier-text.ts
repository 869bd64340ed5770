/**
 * A carrier's bytes as text: UTF-8, or UTF-16 where its mark says so, or else Latin-1, in which each byte is a character. What is read of
 * it is ASCII: identifiers, states and codes.
 */
export function carrierText(bytes: Uint8Array): string {
  const mark = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)
  if (mark === 0xff_fe) return new TextDecoder('utf-16le').decode(bytes)
  if (mark === 0xfe_ff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return UTF_8.decode(bytes)
  } catch {
    return new TextDecoder('latin1').decode(bytes)
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
