/** What follows a recipe of CONTRIBUTING.md: the addition that its tests make. */

/** What goes in directly behind a text that is in the file once; without that text the file is a new one. */
export interface Insertion {
  file: string
  behind?: string
  text: string
}

export interface Recipe {
  /** The heading in CONTRIBUTING.md. */
  heading: string
  /** As many files as the house allows. */
  mostFiles: number
  insertions: readonly Insertion[]
  /** The source of a test that shows the addition at work. */
  proof?: string
  /** Arguments of `bun test` that do the same. */
  provedBy?: readonly string[]
  /** On both databases. */
  onPostgresToo?: boolean
}
