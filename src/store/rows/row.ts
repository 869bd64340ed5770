/** Rows as every database has them: what may be undefined outside is NULL inside. */

export type Row<T> = { [K in keyof T]-?: undefined extends T[K] ? Exclude<T[K], undefined> | null : T[K] }

/** The named columns of a table, to be selected. */
export const columnsIn = <Columns, const Name extends keyof Columns>(columns: Columns, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<Columns, Name>
