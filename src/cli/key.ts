import { Argument, type Command, Option } from 'commander'
import { isOpen } from '../domain/browser-key'
import type { KeyKind, KeyLimits, StoredKey } from '../domain/key'
import { ALLOWANCES, type Allowance } from '../domain/key'
import type { Mode } from '../domain/value'
import * as administer from '../usecases/administer'
import { type CommonOptions, collect, command, instant, onData, onDataCommand, wholeNumber } from './command'
import { adminOf } from './open'
import { iso, table } from './output'

interface KeyOptions extends CommonOptions {
  app: string
  kind: KeyKind
  mode: Mode
  scope?: string[]
  origin?: string[]
  cidr?: string[]
  expires?: number
  allow?: Allowance[]
  issuesPerMin?: number
  verifiesPerMin?: number
  readsPerMin?: number
  issuesPerMinPerIp?: number
}

function keyLimits({ issuesPerMin, verifiesPerMin, readsPerMin, issuesPerMinPerIp }: KeyOptions): KeyLimits {
  const given = Object.entries({ issuesPerMin, verifiesPerMin, readsPerMin, issuesPerMinPerIp })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

function stateOf({ revokedAt, expiresAt }: StoredKey, now: number): string {
  if (revokedAt !== undefined) return 'revoked'
  if (expiresAt === undefined) return 'active'
  return `${now < expiresAt ? 'active until' : 'expired'} ${iso(expiresAt)}`
}

const allowOption = () =>
  new Option('--allow <what...>', 'live pk keys: from (set the sender), text (fill variables with free text)').choices(
    ALLOWANCES,
  )

export function keyCommands(): Command {
  const key = command('key', 'API keys', 'key create --app app_4k2m9x0c7q1z --kind sk --mode test')
  key.addCommand(
    onDataCommand(
      'create',
      'create a key; it is shown this once',
      'key create --app app_4k2m9x0c7q1z --kind sk --mode live --scope otp:issue --scope otp:verify',
      'key create --app app_4k2m9x0c7q1z --kind pk --mode live --origin https://shop.example.com',
    )
      .requiredOption('--app <id>', 'app that owns the key')
      .addOption(
        new Option('--kind <kind>', 'sk: for servers, pk: for browsers').choices(['sk', 'pk']).makeOptionMandatory(),
      )
      .addOption(new Option('--mode <mode>', 'live or test').choices(['live', 'test']).makeOptionMandatory())
      .option('--scope <scope>', 'what it may do, repeatable (default: sk *, pk otp:issue otp:verify)', collect)
      .option('--origin <origin>', 'exact origin a pk key may be used from, repeatable', collect)
      .option('--cidr <network>', 'network an sk key may be used from, repeatable', collect)
      .addOption(new Option('--expires <date>', 'when it stops working').argParser(instant))
      .addOption(allowOption())
      .option('--issues-per-min <n>', 'own limit, live keys only', wholeNumber)
      .option('--verifies-per-min <n>', 'own limit, live keys only', wholeNumber)
      .option('--reads-per-min <n>', 'own limit, live keys only', wholeNumber)
      .option('--issues-per-min-per-ip <n>', 'own limit for each client address, live keys only', wholeNumber)
      .action((options: KeyOptions) =>
        onData(options, async (opened, output) => {
          const { key: text, stored } = await administer.createKey(adminOf(opened), {
            appId: options.app,
            kind: options.kind,
            mode: options.mode,
            scopes: options.scope ?? [],
            allowedOrigins: options.origin ?? [],
            allowedCidrs: options.cidr ?? [],
            limits: keyLimits(options),
            allows: options.allow ?? [],
            expiresAt: options.expires,
          })
          const { keyId, kind, mode, scopes, allowedOrigins } = stored
          output({ keyId, key: text, kind, mode, scopes, allowedOrigins }, [
            `Created key ${keyId}; it is shown only now:`,
            text,
          ])
        }),
      ),
  )
  key.addCommand(
    onDataCommand('list', 'list the keys of an app', 'key list --app app_4k2m9x0c7q1z')
      .requiredOption('--app <id>', 'app')
      .action((options: CommonOptions & { app: string }) =>
        onData(options, async ({ store, clock }, output) => {
          await administer.existingApp({ store }, options.app)
          const keys = await store.read.keys.ofApp(options.app)
          output(
            { keys: keys.map(({ hash: _, ...rest }) => rest) },
            table(
              ['KEY', 'BEGINS AND ENDS', 'MODE', 'SCOPES', 'ALLOWS', 'STATE'],
              keys.map((key) => [
                key.keyId,
                `${key.prefix}…${key.lastFour}`,
                key.mode,
                key.scopes.join(' '),
                isOpen(key) ? key.allows.join(' ') : '',
                stateOf(key, clock.now()),
              ]),
              `${options.app} has no keys yet. \`watchword key create\` makes one.`,
            ),
          )
        }),
      ),
  )
  key.addCommand(
    onDataCommand(
      'rotate',
      'make a key with the same rights; the old one goes on working for a while',
      'key rotate key_8s1d0f5g6h7j --overlap-hours 48',
    )
      .argument('<keyId>', 'key, as `key create` named it')
      .option('--overlap-hours <n>', 'how long the old one goes on working', wholeNumber, 24)
      .action((keyId: string, options: CommonOptions & { overlapHours: number }) =>
        onData(options, async (opened, output) => {
          const rotated = await administer.rotateKey(adminOf(opened), keyId, options.overlapHours)
          const previousWorksUntil = iso(rotated.previousWorksUntil)
          output({ keyId: rotated.stored.keyId, key: rotated.key, previousKeyId: keyId, previousWorksUntil }, [
            `Created key ${rotated.stored.keyId}; it is shown only now. ${keyId} works until ${previousWorksUntil}:`,
            rotated.key,
          ])
        }),
      ),
  )
  key.addCommand(
    onDataCommand(
      'allow',
      'what a live browser key may do beyond the usual: set the sender (from), write free text (text), or nothing',
      'key allow key_8s1d0f5g6h7j text',
      'key allow key_8s1d0f5g6h7j',
    )
      .argument('<keyId>', 'key, as `key create` named it')
      .addArgument(new Argument('[what...]', 'from, text; none: nothing').choices(ALLOWANCES))
      .action((keyId: string, what: Allowance[], options: CommonOptions) =>
        onData(options, async (opened, output) => {
          const { allows } = await administer.allowKey(adminOf(opened), keyId, what)
          output({ keyId, allows }, [
            `Key ${keyId} may ${allows.length > 0 ? `also: ${allows.join(', ')}` : 'do the usual only'}`,
          ])
        }),
      ),
  )
  key.addCommand(
    onDataCommand('revoke', 'revoke a key; it stops working at once', 'key revoke key_8s1d0f5g6h7j')
      .argument('<keyId>', 'key, as `key create` named it')
      .action((keyId: string, options: CommonOptions) =>
        onData(options, async (opened, output) => {
          const { revokedAt } = await administer.revokeKey(adminOf(opened), keyId)
          output({ keyId, revokedAt: new Date(revokedAt).toISOString() }, [`Revoked key ${keyId}`])
        }),
      ),
  )
  return key
}
