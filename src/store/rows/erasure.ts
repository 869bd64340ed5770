import type { Erasure } from '../../domain/operations/erasure'
import type { Row } from '../tables'

/** An empty `appId` stands for every app. */
type ErasureRow = Row<Omit<Erasure, 'appId'>> & { appId: string }

export const erasureOf = ({ appId, doneAt, ...row }: ErasureRow): Erasure => ({
  ...row,
  appId: appId === '' ? undefined : appId,
  doneAt: doneAt ?? undefined,
})

export const storedApp = ({ appId = '' }: Pick<Erasure, 'appId'>): string => appId

/** Prefix of a refund's reference; the id of its issue follows. */
export const REFERENCE = 'refund:'

/** The columns that are emptied when the person of an issue is erased. */
export const STRIPPED = [
  'phoneHash',
  'codeHash',
  'metadata',
  'prefixHash',
  'networkHash',
  'origin',
  'erasedAt',
] as const
