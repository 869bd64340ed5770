import { Command } from 'commander'
import * as administer from '../usecases/administer'
import { type CommonOptions, onData, onDataCommand } from './command'
import { adminOf } from './open'

export function appCommands(): Command {
  const app = new Command('app').description('apps: the owners of keys, wallet and issues')
  app.addCommand(
    onDataCommand('create', 'create an app')
      .argument('<name>', 'what people call it')
      .action((name: string, options: CommonOptions) =>
        onData(options, async (opened, output) => {
          const { appId, organizationId, name: label } = await administer.createApp(adminOf(opened), { name })
          output({ appId, organizationId, name: label }, [`Created app ${appId} (${label})`])
        }),
      ),
  )
  app.addCommand(
    onDataCommand('list', 'list apps').action((options: CommonOptions) =>
      onData(options, async ({ store }, output) => {
        const apps = await store.read.apps()
        const rows = await Promise.all(
          apps.map(async ({ appId, organizationId, name }) => {
            const wallet = await store.read.wallet(appId)
            return { appId, organizationId, name, balance: wallet?.balance ?? 0, reserved: wallet?.reserved ?? 0 }
          }),
        )
        output(
          { apps: rows },
          rows.map((row) => `${row.appId}  ${row.name}  balance ${row.balance}, reserved ${row.reserved}`),
        )
      }),
    ),
  )
  return app
}
