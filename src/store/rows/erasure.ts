/** Phones that were erased. */
import type { Erasure } from '../../domain/operations/erasure'
import type { Row } from '../tables'

/** As it is stored: no app is every app. */
type ErasureRow = Row<Omit<Erasure, 'appId'>> & { appId: string }

export const erasureOf = ({ appId, doneAt, ...row }: ErasureRow): Erasure => ({
  ...row,
  appId: appId === '' ? undefined : appId,
  doneAt: doneAt ?? undefined,
})

export const storedApp = ({ appId = '' }: Pick<Erasure, 'appId'>): string => appId

/** What a refund is named by holds the id of its issue. */
export const REFERENCE = 'refund:'

/** What changes of an issue whose person is forgotten. */
export const STRIPPED = [
  'phoneHash',
  'codeHash',
  'metadata',
  'prefixHash',
  'networkHash',
  'origin',
  'erasedAt',
] as const
