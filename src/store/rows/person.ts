import type { Operator } from '../../domain/access/operator'
import type { Vault } from '../../ports/vault'
import type { Row } from '../tables'

interface OperatorRow extends Omit<Row<Operator>, 'totpSecret' | 'totpBegun'> {
  /** Both are encrypted. */
  totpSecret: Uint8Array | null
  totpBegun: Uint8Array | null
}

export const totpSeal = (operatorId: string) => `operator-totp:${operatorId}`
export const begunSeal = (operatorId: string) => `operator-totp-begun:${operatorId}`

export const operatorOf = (vault: Vault, row: OperatorRow): Operator => ({
  ...row,
  totpSecret: row.totpSecret ? vault.open(totpSeal(row.operatorId), row.totpSecret) : undefined,
  totpBegun: row.totpBegun ? JSON.parse(vault.open(begunSeal(row.operatorId), row.totpBegun)) : undefined,
  lastSeenAt: row.lastSeenAt ?? undefined,
  unlockedAt: row.unlockedAt ?? undefined,
})

export const operatorRow = (vault: Vault, { totpSecret, totpBegun, ...operator }: Operator): OperatorRow => ({
  ...operator,
  lastSeenAt: operator.lastSeenAt ?? null,
  unlockedAt: operator.unlockedAt ?? null,
  totpSecret: totpSecret === undefined ? null : vault.seal(totpSeal(operator.operatorId), totpSecret),
  totpBegun: totpBegun ? vault.seal(begunSeal(operator.operatorId), JSON.stringify(totpBegun)) : null,
})

/** The columns of an operator that change, except for `lastSeenAt`. */
export const OPERATOR_CHANGING = [
  'email',
  'name',
  'role',
  'passwordHash',
  'totpSecret',
  'totpBegun',
  'unlockedAt',
] as const
