/** Read-only looks into a PostgreSQL database, on a connection of their own and without the master secret. */
import type { SQL } from 'bun'
import type { Clock } from '../../ports/clock'
import { type Name, type NamedKind, namesQuery } from '../names'
import { type Applied, applied, assertKnownServer } from './connection/migrate'
import { nameOf } from './connection/name'
import { connect, end, type TlsVerification, tlsVerificationOf, unreached } from './connection/pool'

export interface ServerReport {
  /** Without a password. */
  name: string
  /** Of PostgreSQL, such as `15.14`. */
  version: string
  /** Otherwise it follows another one, and cannot be written. */
  isPrimary: boolean
  /** Of one that follows: for how long it has not done what it has been told. */
  behindMs: number
  /** `TLSv1.3`, for example; undefined where it is not encrypted. */
  encryption: string | undefined
  checking: TlsVerification
  /** How many this user may open. */
  connections: number
  /** Undefined where there is nothing of ours. */
  schema: Applied | undefined
  /** By how much the clock here is ahead of the one there, in milliseconds, and how exact that is. */
  clockLead: { ms: number; within: number }
  archive: Archive
}

/** Of the log of changes, by which PostgreSQL is set back to a point in time. */
export interface Archive {
  isOn: boolean
  /** Since the last part that was archived. */
  isFailing: boolean
}

/** Throws where nobody answers, or what answers is too old. */
export async function inspectServer(url: string, clock: Pick<Clock, 'now' | 'elapsed'>): Promise<ServerReport> {
  const sql = connect({ url, size: 1 }, 'watchword doctor')
  try {
    await assertKnownServer(sql)
    const [server] = await sql.unsafe(SERVER)
    return {
      ...{ name: nameOf(url), version: server.version.split(' ')[0], isPrimary: server.primary },
      behindMs: Number(server.behind),
      ...{ encryption: server.encryption ?? undefined, checking: tlsVerificationOf(url) },
      connections: Number(server.connections),
      archive: { isOn: server.archiving, isFailing: server.failing },
      schema: await applied(sql),
      clockLead: await clockLead(sql, clock),
    }
  } catch (error) {
    throw unreached(url, error)
  } finally {
    await sql.close()
  }
}

/** The narrowest of what limits the server, the database and the role; -1 is no limit. */
const SERVER = `
  SELECT current_setting('server_version') AS version,
    NOT pg_is_in_recovery() AS primary,
    CASE WHEN pg_last_wal_receive_lsn() <> pg_last_wal_replay_lsn()
      THEN extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000 ELSE 0 END AS behind,
    (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl) AS encryption,
    least(
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
        - coalesce(current_setting('reserved_connections', true), '0')::integer,
      (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()),
      (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user)
    ) AS connections,
    current_setting('archive_mode') <> 'off' AS archiving,
    coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS failing
  FROM pg_stat_archiver`

async function clockLead(sql: SQL, clock: Pick<Clock, 'now' | 'elapsed'>): Promise<ServerReport['clockLead']> {
  const [sentAt, sent] = [clock.elapsed(), clock.now()]
  const [row] = await sql`SELECT extract(epoch FROM clock_timestamp()) * 1000 AS there`
  const roundTrip = clock.elapsed() - sentAt
  return { ms: Math.round(sent + roundTrip / 2 - Number(row.there)), within: Math.ceil(roundTrip / 2) }
}

/** Who types does not wait longer. */
const WITHIN_MS = 1_000

/** Of one app, where it is given and they belong to one. None where nobody answers soon, or not of such tables. */
export async function readNames(
  { url, clock }: { url: string; clock: Pick<Clock, 'after'> },
  what: NamedKind,
  appId?: string,
): Promise<Name[]> {
  const { text, isOfApp } = namesQuery(what, '$1::text')
  const late = Promise.withResolvers<Name[]>()
  const cancel = clock.after(WITHIN_MS, () => late.resolve([]))
  const sql = connect({ url, size: 1 }, 'watchword complete')
  try {
    return await Promise.race([sql.unsafe(text, isOfApp ? [appId ?? null] : []), late.promise])
  } catch {
    return []
  } finally {
    cancel()
    end(sql)
  }
}
