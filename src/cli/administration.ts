/** Administration as files and machines see it: of the opened database, or of a server far away. */
import { readFileSync } from 'node:fs'
import { ORPCError } from '@orpc/client'
import { createRouterClient } from '@orpc/server'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type AdminClient, adminClient } from '../admin/client'
import type { AdminServices } from '../admin/context'
import { createAdminRouter } from '../admin/router'
import { PERMISSIONS } from '../domain/access/operator'
import { withBuiltIn } from '../domain/message/template'
import { asRefusal } from '../http/errors'
import { carrierTypes } from '../providers/type-settings'
import { systemPasswords } from '../system/passwords'
import type { ProtectionHistory } from '../usecases/abuse/read-protection'
import { type CommonOptions, onData, onDataOrNew } from './command'
import { adminOf, inspectorOf, type Opened } from './open'
import { Failure, type Output, outputFor } from './output'

/**
 * The procedures on the opened database, as the command line. What only a running server knows, such as messages that are on their
 * way, is not there.
 */
function administrationOf(opened: Opened): AdminClient {
  const { config, store } = opened
  const { node, ...admin } = adminOf(opened)
  const services = {
    ...{ ...opened, ...admin, carrierTypes, passwords: systemPasswords, explain: inspectorOf(opened).explain },
    carriers: { limiters: () => new Map() },
    node: {
      ...{ ...node, keyUse: { latest: () => undefined } },
      directory: { templates: async (appId: string) => withBuiltIn(await store.read.templates.ofApp(appId)) },
    },
    facts: {
      ...{ publicUrl: config.publicUrl, numbering: config.numbering, hookPolicy: config.webhooks },
      ...{ carrierTimeoutMs: config.carrierTimeoutMs, liveRetentionDays: config.liveRetentionDays },
    },
  } as unknown as AdminServices
  return createRouterClient(createAdminRouter(services, {} as ProtectionHistory), {
    context: {
      administrator: { actor: admin.actor, permissions: PERMISSIONS, appIds: undefined },
      origin: config.publicUrl ?? `http://127.0.0.1:${config.port}`,
      entered: false,
    },
  }) as AdminClient
}

const administrationAt = (server: string, token: string): AdminClient =>
  adminClient({ server, token }, (request) =>
    fetch(request).catch((error: Error) => {
      throw new Failure('unreachable', `${server} does not answer: ${error.message}`)
    }),
  )

export interface InstallationOptions extends CommonOptions {
  server?: string
  tokenFile?: string
}

export const serverOptions = (made: Command): Command =>
  made
    .addOption(new Option('--server <url>', 'a server far away, by its management API').conflicts('data'))
    // A file, so that the token stands in no list of processes.
    .addOption(new Option('--token-file <file>', 'file with the token for --server'))

/** Administers the opened database, or the server that is named. `makes`: a new database is made where there is none. */
export async function administer(
  options: InstallationOptions,
  makes: boolean,
  work: (client: AdminClient, output: Output) => Promise<void>,
): Promise<void> {
  const { server, tokenFile } = options
  if ((server === undefined) !== (tokenFile === undefined))
    throw new InvalidArgumentError('--server and --token-file belong together')
  const told = (client: AdminClient, output: Output) => work(client, output).catch(refused)
  if (server === undefined || tokenFile === undefined)
    return (makes ? onDataOrNew : onData)(options, (opened, output) => told(administrationOf(opened), output))
  if (!URL.canParse(server)) throw new InvalidArgumentError('--server: must be a URL such as https://otp.example.com')
  await told(administrationAt(server, readText(tokenFile, '--token-file').trim()), outputFor(options.json))
}

/** Exit words of what a server refuses: those of what is refused here. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ BAD_REQUEST: 'invalid', UNPROCESSABLE_CONTENT: 'invalid', PAYMENT_REQUIRED: 'no_credit' },
  ...{ TOO_MANY_REQUESTS: 'limited', SERVICE_UNAVAILABLE: 'unavailable' },
}

function refused(error: unknown): never {
  const refusal = asRefusal(error)
  if (refusal || !(error instanceof ORPCError)) throw refusal ?? error
  // The guide is at the server, and the message ends with its page there.
  const message = error.message.replace(/\. See \/docs\/\S+$/, '')
  throw new Failure(WORDS[error.code] ?? error.code.toLowerCase(), message)
}

/** Throws, naming what wanted the file. - is standard input. */
export function readText(file: string, what: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new Failure('not_found', `${what}: ${(error as Error).message}`)
  }
}
