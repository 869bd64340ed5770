declare module 'spdx-satisfies' {
  /** Whether what an SPDX expression asks for can be met with these licences alone. */
  export default function satisfies(expression: string, allowed: readonly string[]): boolean
}
