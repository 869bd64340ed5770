import type { Recipe } from './recipe'

export const table: Recipe = {
  heading: 'A table',
  mostFiles: 4,
  insertions: [
    {
      file: 'migrations/sqlite/0002_one_store.sql',
      behind: 'DROP TABLE awaited_reports;\n',
      text: 'CREATE TABLE notes (\n  note_id TEXT PRIMARY KEY,\n  text TEXT NOT NULL\n) STRICT;\n',
    },
    {
      file: 'migrations/postgres/0002_one_store.sql',
      behind: 'DROP TABLE awaited_reports;\n',
      text: 'CREATE TABLE notes (\n  note_id text PRIMARY KEY,\n  text text NOT NULL\n);\n',
    },
    {
      file: 'src/store/tables.ts',
      behind: "export const challenges = table('challenges', ['appId'], {\n  appId: text,\n  settings: bytes,\n})\n",
      text: "\nexport const notes = table('notes', ['noteId'], {\n  noteId: text,\n  text,\n})\n",
    },
    { file: 'src/store/tables.ts', behind: 'export const TABLES = {\n', text: '  notes,\n' },
    {
      file: 'src/store/move/tables.ts',
      behind: '  ...[ours.organizations, ours.apps, ours.challenges',
      text: ', ours.notes',
    },
  ],
  // Each holds every table there is against what the migrations make, and against what moves to the other database.
  provedBy: [
    ...['test/store/migrate.test.ts', 'test/store/migrate-postgres.test.ts', 'test/store/move.test.ts'],
    ...['-t', 'the schema of the code|columns of notes|every table and column'],
  ],
}
