/** What the example has of Next.js, which is not installed for the tests; `bun run examples` builds it with the real one. */
declare module 'next' {
  export interface Metadata {
    title?: string
  }
  export interface NextConfig {
    turbopack?: { root?: string }
  }
}

declare module 'next/headers' {
  interface Cookie {
    httpOnly: boolean
    sameSite: 'lax' | 'strict' | 'none'
    secure: boolean
    path: string
    maxAge: number
  }
  export function cookies(): Promise<{
    get(name: string): { value: string } | undefined
    set(name: string, value: string, cookie: Cookie): unknown
  }>
}

declare module '*.css'
