/** Folders of backups as people found them, by public reports, and which files count. Names are made up. */
export interface FolderCase {
  report: string
  /** Why this is right. */
  authority: string
  /** Bytes by name; a name that ends with `/` is a folder, one with `@` a link that leads nowhere. */
  files: Readonly<Record<string, number>>
  /** Days from now, of files that are not of now. */
  ageDays?: Readonly<Record<string, number>>
  counted: readonly string[]
  /** What a start removes. */
  removed: readonly string[]
}

export const FOLDERS: readonly FolderCase[] = [
  {
    report: 'https://github.com/Neko-Catpital-Labs/Invoker/issues/12295',
    authority:
      'https://www.sqlite.org/tempfiles.html: a rollback journal lies beside its database, and outlives a kill',
    files: { 'watchword-a.db': 8, 'watchword-b.db.unfinished': 8, 'watchword-b.db.unfinished-journal': 8 },
    counted: ['watchword-a.db'],
    removed: ['watchword-b.db.unfinished', 'watchword-b.db.unfinished-journal'],
  },
  {
    report: 'https://github.com/spatie/laravel-backup/issues/508',
    authority: 'the report: the leftover of a failed backup took the room of every later one',
    files: { 'watchword-c.db.unfinished': 4_096 },
    counted: [],
    removed: ['watchword-c.db.unfinished'],
  },
  {
    report: 'https://github.com/wp-media/backwpup/issues/118',
    authority: 'the report: broken copies pushed the good ones out',
    files: { 'watchword-good.db': 8, 'watchword-newer.db': 0 },
    counted: ['watchword-good.db'],
    removed: [],
  },
  {
    report: 'https://github.com/pgbackrest/pgbackrest/issues/144',
    authority: 'the report: what a killed run left must not make the next one fail',
    files: { 'watchword-d.db.unfinished/': 0, 'watchword-e.db@': 0, 'watchword-f.db': 8, 'watchword-g.db/': 0 },
    counted: ['watchword-f.db'],
    removed: [],
  },
  {
    report: 'https://github.com/systemd/systemd/issues/6036',
    authority: 'the report: a time that lies in the future must not stop a schedule',
    files: { 'watchword-ahead.db': 8, 'watchword-now.db': 8 },
    ageDays: { 'watchword-ahead.db': -400 },
    counted: ['watchword-ahead.db', 'watchword-now.db'],
    removed: [],
  },
]
