import type { Command } from 'commander'
import * as administer from '../usecases/administer'
import { challengeCommand } from './challenge'
import { type CommonOptions, command, onData, onDataCommand, onDataOrNew, removalCommand } from './command'
import { type Confirmable, confirm } from './confirm'
import { adminOf } from './open'
import { table } from './output'
import { proofsCommand } from './proofs'
import { blockCommand, protectCommand, unblockCommand, unlockCommand } from './protect'
import { retentionCommand } from './retention'
import { textsCommand } from './texts'

export function appCommands(): Command {
  const app = command('app', 'apps: the owners of keys, wallet and issues', 'app create shop')
  app.addCommand(
    onDataCommand('create', 'create an app', 'app create shop')
      .argument('<name>', 'what people call it')
      .option('--region <country>', 'whose national phone formats are read (default: WATCHWORD_DEFAULT_REGION)')
      .action((name: string, { region, ...options }: CommonOptions & { region?: string }) =>
        onDataOrNew(options, async (opened, output) => {
          const wanted = { name, ...(region !== undefined && { region }) }
          const { appId, organizationId, name: label } = await administer.createApp(adminOf(opened), wanted)
          output({ appId, organizationId, name: label, region }, [`Created app ${appId} (${label})`])
        }),
      ),
  )
  app.addCommand(
    onDataCommand('list', 'list apps', 'app list').action((options: CommonOptions) =>
      onData(options, async ({ store }, output) => {
        const apps = await store.read.apps.all()
        const rows = await Promise.all(
          apps.map(async ({ appId, organizationId, name, region }) => {
            const { balance = 0, reserved = 0 } = (await store.read.wallets.find(appId)) ?? {}
            return { appId, organizationId, name, region, balance, reserved }
          }),
        )
        output(
          { apps: rows },
          table(
            ['APP', 'NAME', 'REGION', 'BALANCE', 'RESERVED'],
            rows.map(({ appId, name, region, balance, reserved }) => [appId, name, region ?? '', balance, reserved]),
            'No apps yet. `watchword app create NAME` makes one.',
          ),
        )
      }),
    ),
  )
  app.addCommand(
    onDataCommand('rename', 'call an app otherwise; its id stays', 'app rename app_4k2m9x0c7q1z "Web shop"')
      .argument('<appId>', 'app')
      .argument('<name>', 'what people call it from now on')
      .action((appId: string, name: string, options: CommonOptions) =>
        onData(options, async (opened, output) => {
          const renamed = await administer.renameApp(adminOf(opened), appId, name)
          output({ appId, name: renamed.name }, [`${appId} is now called ${renamed.name}`])
        }),
      ),
  )
  app.addCommand(
    onDataCommand(
      'region',
      'read phone numbers without a country as of this one; none: as of the server’s default',
      'app region app_4k2m9x0c7q1z US',
    )
      .argument('<appId>', 'app')
      .argument('[country]', 'ISO 3166 code such as KR')
      .action((appId: string, country: string | undefined, options: CommonOptions) =>
        onData(options, async (opened, output) => {
          const { region } = await administer.setRegion(adminOf(opened), appId, country)
          output({ appId, region: region ?? null }, [
            `${appId} reads numbers without a country as of ${region ?? `the server's default, ${opened.config.numbering.region}`}`,
          ])
        }),
      ),
  )
  app.addCommand(textsCommand())
  app.addCommand(proofsCommand())
  app.addCommand(retentionCommand())
  app.addCommand(protectCommand())
  app.addCommand(challengeCommand())
  app.addCommand(unlockCommand())
  app.addCommand(blockCommand())
  app.addCommand(unblockCommand())
  app.addCommand(
    removalCommand(
      'remove',
      'end an app: its keys and webhooks stop, its ledger stays',
      'app remove app_4k2m9x0c7q1z --yes',
    )
      .argument('<appId>', 'app')
      .action((appId: string, options: CommonOptions & Confirmable) =>
        onData(options, async (opened, output) => {
          const { store } = opened
          const { name } = await administer.existingApp(opened, appId)
          const keys = (await store.read.keys.ofApp(appId)).filter(({ revokedAt }) => revokedAt === undefined).length
          const webhooks = (await store.read.endpoints.ofApp(appId)).length
          const credit = (await store.read.wallets.find(appId))?.balance ?? 0
          const goes = `${keys} keys stop working, ${webhooks} webhooks are removed, ${credit} CREDIT is left unused.`
          await confirm(options, `Remove the app ${name} (${appId})? ${goes}`)
          const { revokedKeys, removedWebhooks, balance } = await administer.removeApp(adminOf(opened), appId)
          output({ appId, removed: true, revokedKeys, removedWebhooks, balance }, [
            `Removed app ${appId} (${name}): ${revokedKeys} keys revoked, ${removedWebhooks} webhooks removed.`,
            `What is under way is still delivered and billed. Its ledger stays; ${balance} CREDIT was left.`,
          ])
        }),
      ),
  )
  return app
}
