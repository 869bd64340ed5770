/** What a PostgreSQL holds at one moment as a file of SQLite, so that both tortures check the same promises. */
import { SQL } from 'bun'
import { Copy } from '../../../support/copy'

export async function snapshot(url: string, file: string): Promise<void> {
  const sql = new SQL(url, { max: 1 })
  const copy = new Copy(sql, file)
  try {
    await copy.take()
  } finally {
    copy.close()
    await sql.close()
  }
}
