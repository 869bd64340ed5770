/** What a deploy may not leave behind although nothing was killed. */
import { Database } from 'bun:sqlite'

/** Much longer than a server takes to stop and another one to start, and shorter than the lease of one that says nothing. */
const SENT_WITHIN_MS = 15_000

/** Messages that waited for somebody who was not there any more. */
export function late(file: string): string[] {
  using db = new Database(file, { readonly: true })
  const rows = db
    .query(
      `SELECT lower(hex(i.issue_id)) AS issue, min(a.called_at) - i.created_at AS waited FROM issues AS i
       JOIN attempts AS a ON a.issue_id = i.issue_id GROUP BY i.issue_id HAVING waited > ${SENT_WITHIN_MS}`,
    )
    .all() as Array<{ issue: string; waited: number }>
  return rows.map(({ issue, waited }) => `${issue} waited ${waited} ms to be sent`)
}
