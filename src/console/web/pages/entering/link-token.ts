/** The token of a link stands behind the #, where it reaches no server. It goes from the address once it is used. */
import { useLocation } from '@tanstack/react-router'

const LEAST = 20

/** Undefined where the link was cut off. */
export function useLinkToken(): string | undefined {
  const hash = useLocation({ select: (location) => location.hash })
  return hash.length >= LEAST ? hash : undefined
}
