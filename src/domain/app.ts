/** An app of the installation. */

export interface App {
  appId: string
  organizationId: string
  name: string
  /** ISO 3166 country whose national phone formats its numbers are read in; undefined: the server's default. */
  region: string | undefined
  createdAt: number
  /** Of one that was removed; its ledger and issues stay. */
  removedAt?: number
}
