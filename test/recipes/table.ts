import type { Recipe } from './recipe'

export const table: Recipe = {
  heading: 'A table',
  mostFiles: 6,
  insertions: [
    {
      file: 'migrations/sqlite/0001_initial.sql',
      behind: 'CREATE INDEX api_keys_by_app ON api_keys (app_id);\n',
      text: 'CREATE TABLE notes (\n  note_id TEXT PRIMARY KEY,\n  text TEXT NOT NULL\n) STRICT;\n',
    },
    {
      file: 'migrations/postgres/0001_initial.sql',
      behind: 'CREATE INDEX api_keys_by_app ON api_keys (app_id);\n',
      text: 'CREATE TABLE notes (\n  note_id text PRIMARY KEY,\n  text text NOT NULL\n);\n',
    },
    {
      file: 'src/store/tables.ts',
      behind: "export const challenges = table('challenges', ['appId'], {\n  appId: text,\n  settings: bytes,\n})\n",
      text: "\nexport const notes = table('notes', ['noteId'], {\n  noteId: text,\n  text,\n})\n",
    },
    ...['sqlite', 'postgres'].map((store) => ({
      file: `src/store/${store}/schema.ts`,
      behind: 'export const challenges = tableOf(tables.challenges)\n',
      text: 'export const notes = tableOf(tables.notes)\n',
    })),
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
