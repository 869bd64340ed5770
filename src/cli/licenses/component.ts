/** What a notice of licences is made of. */

/** One work with its licence. */
export interface Component {
  name: string
  version: string
  /** An SPDX expression. */
  license: string
  /** Copyright and licence in full, with what the licence asks to be told beside it. */
  text: string
  /** How it comes to be here, or where its text is from, if not as usual. */
  note?: string
}

export interface Notice {
  program: Component
  /** Bun, which the binary is made with and carries. */
  runtime: Component
  packages: Component[]
}
