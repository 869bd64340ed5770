export interface AuditRow {
  seq: number
  /** Unix milliseconds. */
  at: number
  actor: string
  action: string
  target: string
  detail: Record<string, unknown>
  ip?: string | undefined
  hash: string
}

/** Of what an entry is looked for by. */
export interface AuditFilters {
  actor?: string
  action?: string
}
