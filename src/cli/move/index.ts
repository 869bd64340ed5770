/** `watchword move`. Its code is loaded on demand, because a server needs only one kind of database. */
import { type Command, Option } from 'commander'
import { command, jsonOption, yesOption } from '../command'
import type { MoveRequest } from './work'

export const moveCommand = (): Command =>
  command(
    'move',
    'move everything from a data folder to PostgreSQL, or back, while no server runs on either',
    "move --from watchword-data --to 'postgres://watchword@db.example.com/watchword'",
    "move --from 'postgres://watchword@db.example.com/watchword' --to new-data",
    'move --undo --from watchword-data',
  )
    .requiredOption('--from <dir|url>', 'data folder or postgres:// URL to move from')
    .option('--to <dir|url>', 'the target: the other kind of database, empty')
    .addOption(new Option('--undo', 'let servers start again where everything has been moved away').conflicts('to'))
    .addOption(yesOption())
    .addOption(jsonOption())
    .action(async (options: MoveRequest) => {
      const { moveAll, undo } = await import('./work')
      await (options.undo ? undo(options) : moveAll(options))
    })
