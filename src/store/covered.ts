/**
 * Which columns hold hashes that are stored encrypted (`HashCover`), for who stores them anew and who looks for one meanwhile.
 * Each of these tables has a column `hash_key` that says by which key. The same in every kind of database.
 */
import type { HashCover } from '../ports/vault'

export const HASH_KEY = 'hash_key'

export interface CoveredTable {
  table: string
  key: readonly string[]
  /** With the bytes of a hash. */
  hashes: Readonly<Record<string, number>>
  /** Where a row that is stored anew may meet one that is already: these are added to those of that. */
  counted: readonly string[]
}

export const COVERED = {
  issues: {
    table: 'issues',
    key: ['app_id', 'mode', 'issue_id'],
    hashes: { phone_hash: 32, code_hash: 32, prefix_hash: 8, network_hash: 8 },
    counted: [],
  },
  failures: {
    table: 'failures',
    key: ['app_id', 'key_kind', 'phone_hash'],
    hashes: { phone_hash: 32 },
    counted: [],
  },
  erasures: { table: 'erasures', key: ['phone_hash', 'app_id'], hashes: { phone_hash: 32 }, counted: [] },
  claims: { table: 'claims', key: ['claim_id'], hashes: { key_hash: 16, fingerprint: 16 }, counted: [] },
  decisions: {
    table: 'decisions',
    key: ['app_id', 'minute', 'key_kind', 'country', 'rule', 'refused', 'prefix_hash', 'network_hash'],
    hashes: { prefix_hash: 8, network_hash: 8 },
    counted: ['times', 'credits'],
  },
  addresses: {
    table: 'operator_addresses',
    key: ['operator_id', 'address_hash'],
    hashes: { address_hash: 16 },
    counted: [],
  },
  audit: { table: 'audit_entries', key: ['seq'], hashes: { hash: 32 }, counted: [] },
} satisfies Record<string, CoveredTable>

export const ALL_COVERED: readonly CoveredTable[] = Object.values(COVERED)

const BYTES = new Map(
  ALL_COVERED.flatMap(({ table, hashes }) =>
    Object.entries(hashes).map(([column, bytes]) => [`${table}.${column}`, bytes] as const),
  ),
)

/** How long the hashes of a column are; undefined: it holds none. */
export const hashBytes = (table: string, column: string): number | undefined => BYTES.get(`${table}.${column}`)

/** Says by which key the hashes of its row are stored. */
export const isHashKey = (table: string, column: string): boolean =>
  column === HASH_KEY && ALL_COVERED.some((covered) => covered.table === table)

/** As `hash_key` has it: NULL where hashes are stored as they are. */
export const hashKeyOf = ({ generation }: HashCover): number | null => generation || null

const numbered = (names: readonly unknown[], from: number) => names.map((_, n) => `$${n + from}`)
const selected = ({ table, key, hashes, counted }: CoveredTable) =>
  `SELECT ${[...key, ...Object.keys(hashes), ...counted, HASH_KEY]} FROM ${table}`

/** `$1` is the newest key's number. */
const IS_OLDER = `coalesce(${HASH_KEY}, 0) <> $1`

/** Rows that are looked through together, whether or not they are to be stored anew: nobody waits long for a large table. */
const LOOKED_AT_ONCE = 2_000

/** The key of the row that many rows on; that of the row behind which comes as `$1`. */
export const furtherKey = ({ table, key }: CoveredTable, isBehind: boolean): string =>
  `SELECT ${key} FROM ${table}${isBehind ? ` WHERE (${key}) > (${numbered(key, 1)})` : ''}
   ORDER BY ${key} LIMIT 1 OFFSET ${LOOKED_AT_ONCE - 1}`

/** Some rows that are stored by another key; behind `$1` the keys of the row behind which and up to which they are. */
export const olderPage = (covered: CoveredTable, has: { behind: boolean; edge: boolean }, limit: number): string => {
  const { key } = covered
  const behind = has.behind ? ` AND (${key}) > (${numbered(key, 2)})` : ''
  const edge = has.edge ? ` AND (${key}) <= (${numbered(key, has.behind ? 2 + key.length : 2)})` : ''
  return `${selected(covered)} WHERE ${IS_OLDER}${behind}${edge} ORDER BY ${key} LIMIT ${limit}`
}

export const OLDER_HASHES = `SELECT ${ALL_COVERED.map(
  ({ table }) => `(SELECT count(*) FROM ${table} WHERE ${IS_OLDER})`,
).join(' + ')} AS rows`

/** What somebody looks for by a hash: rows of a table, within what else names them. */
export interface Sought {
  covered: CoveredTable
  column: string
  within: readonly string[]
  /** Only these. */
  where?: string
}

/** The hash as it may be stored, then what else names the rows. */
export const soughtRows = ({ covered, column, within, where }: Sought): string => {
  const named = [column, ...within].map((name, n) => `${name} = $${n + 1}`)
  return `${selected(covered)} WHERE ${[...named, ...(where ? [where] : [])].join(' AND ')}`
}

export const SOUGHT = {
  live: {
    ...{ covered: COVERED.issues, column: 'phone_hash', within: ['app_id', 'mode', 'purpose'] },
    where: "verification_status = 'issued'",
  },
  failures: { covered: COVERED.failures, column: 'phone_hash', within: ['app_id', 'key_kind'] },
  claim: { covered: COVERED.claims, column: 'key_hash', within: ['app_id', 'mode'] },
  erasure: { covered: COVERED.erasures, column: 'phone_hash', within: ['app_id'] },
  address: { covered: COVERED.addresses, column: 'address_hash', within: ['operator_id'] },
} satisfies Record<string, Sought>

/** What to execute, so that a row that was selected so is stored by the newest key. */
export function storedAnew(
  covered: CoveredTable,
  row: readonly unknown[],
  cover: HashCover,
): Array<[string, unknown[]]> {
  const { table, key, hashes, counted } = covered
  const names = Object.keys(hashes)
  const generation = Number(row.at(-1) ?? 0)
  // A command that has slept through a second change would write over hashes that nobody makes again.
  if (!cover.knows(generation)) throw new Error(`Hashes in ${table} are stored by a key that is not known here`)
  const now = Object.entries(hashes).map(([, bytes], n) => {
    const stored = row[key.length + n]
    return stored && cover.stored(cover.plain(new Uint8Array(stored as Uint8Array), generation, bytes))
  })
  const keyBefore = row.slice(0, key.length)
  const these = (from: number) => `(${key}) = (${numbered(key, from)})`
  if (counted.length === 0) {
    const set = [...names, HASH_KEY].map((name, n) => `${name} = $${n + 1}`)
    const text = `UPDATE ${table} SET ${set} WHERE ${these(set.length + 1)}`
    return [[text, [...now, hashKeyOf(cover), ...keyBefore]]]
  }
  const keyNow = key.map((name, n) => (names.includes(name) ? now[names.indexOf(name)] : row[n]))
  const all = [...key, ...counted, HASH_KEY]
  const sums = counted.map((name) => `${name} = ${table}.${name} + excluded.${name}`)
  const added = [...keyNow, ...row.slice(key.length + names.length, -1), hashKeyOf(cover)]
  return [
    [`DELETE FROM ${table} WHERE ${these(1)}`, keyBefore],
    [`INSERT INTO ${table} (${all}) VALUES (${numbered(all, 1)}) ON CONFLICT (${key}) DO UPDATE SET ${sums}`, added],
  ]
}

/** Every way in which hashes may be stored. */
export const formsOf = (cover: HashCover, hashes: readonly Uint8Array[]): Buffer[] =>
  hashes.flatMap((hash) => [cover.stored(hash), ...cover.otherwise(hash)]).map((form) => Buffer.from(form))
