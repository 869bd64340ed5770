/** Rows as every database has them: what may be undefined outside is NULL inside. */

export type Row<T> = { [K in keyof T]-?: undefined extends T[K] ? Exclude<T[K], undefined> | null : T[K] }
