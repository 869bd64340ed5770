/** Seals and covers anew what is not under the newest key. */
import type { RenewalPlace } from '../../ports/store/ring'
import type { Vault } from '../../ports/vault'
import { ALL_COVERED, type CoveredTable, furtherKey, OLDER_HASHES, olderPage } from '../covered'
import { type Looked, lookedUpTo, placeBehind } from '../renewal'
import { OLDER, pageOf, SEALED, type SealedColumn, type SealedKey, updateOf } from '../sealed'
import { asGiven, storeAnew } from './bring'
import type { Asked, Unit } from './unit'

type Key = readonly unknown[]

/** Whoever is about to change a row is left to do so. */
const pageFor = (text: string) => asGiven(`${text} FOR UPDATE SKIP LOCKED`)

/** Renews some rows behind one; no key: from the first on. */
type Renew = (unit: Unit, vault: Vault, behind: Key, limit: number) => Promise<Looked>

const sealAnew =
  (column: SealedColumn): Renew =>
  async (unit, vault, behind, limit) => {
    const page = pageFor(pageOf(column, behind.length > 0, limit))
    const rows = await unit.change(page, { values: [vault.ring.mark, ...behind] })
    const keys = rows.map((row) => {
      const key = row.slice(0, -1) as SealedKey
      const rowId = column.rowId(key)
      const sealed = vault.seal(rowId, vault.open(rowId, new Uint8Array(row.at(-1) as Uint8Array)))
      unit.run(asGiven(updateOf(column)), { values: [sealed, ...key] })
      return key
    })
    return lookedUpTo(undefined, keys, limit)
  }

const coverAnew =
  (covered: CoveredTable): Renew =>
  async (unit, _, behind, limit) => {
    const has = behind.length > 0
    const edge = await unit.get(asGiven(furtherKey(covered, has)), { values: behind })
    const page = pageFor(olderPage(covered, { behind: has, edge: edge !== undefined }, limit))
    const rows = await unit.change(page, { values: [unit.cover.generation, ...behind, ...(edge ?? [])] })
    for (const row of rows) storeAnew(unit, covered, row)
    const keys = rows.map((row) => row.slice(0, covered.key.length))
    return lookedUpTo(edge, keys, limit)
  }

const PARTS: readonly Renew[] = [...SEALED.map(sealAnew), ...ALL_COVERED.map(coverAnew)]

export async function renew(
  unit: Unit,
  vault: Vault,
  after: RenewalPlace | undefined,
  limit: number,
): Promise<RenewalPlace | undefined> {
  const { part, key } = after ?? { part: 0, key: undefined }
  const renewPart = PARTS[part]
  if (!renewPart || !vault.ring.mark) return undefined
  return placeBehind(part, await renewPart(unit, vault, key ?? [], limit))
}

/** How many are under another key. */
export async function countOlder(pool: Asked, vault: Vault): Promise<number> {
  const { mark } = vault.ring
  if (!mark) return 0
  const count = async (text: string, what: unknown) => Number((await pool.get(asGiven(text), { values: [what] }))?.[0])
  return (await count(OLDER, mark)) + (await count(OLDER_HASHES, vault.cover.generation))
}
