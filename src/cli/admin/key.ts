import { z } from 'zod'
import type { Scope } from '../../../contract/scope'
import { keys } from '../../admin/contract/apps'
import type { StoredKey } from '../../domain/access/api-key'
import { hasAllowances } from '../../domain/access/browser-key'
import * as administer from '../../usecases/administer'
import { creatorInWords, iso, table } from '../output'
import { APP_OPTION, adminCommand, clientCommand, group, inputOf } from './build'

const create = inputOf(keys.create)
const limits = create.shape.limits.unwrap()

const ofKey = '<keyId>  key, as `key create` named it'

export const keyCommands = () =>
  group('key', 'API keys', 'create --app app_4k2m9x0c7q1z --kind sk --mode test', {
    create: clientCommand({
      summary: 'create a key; it is shown only once',
      examples: [
        '--app app_4k2m9x0c7q1z --kind sk --mode live --scope otp:issue --scope otp:verify',
        '--app app_4k2m9x0c7q1z --kind pk --mode live --origin https://shop.example.com',
      ],
      input: create.omit({ limits: true }).extend({ scopes: z.array(z.string()).default([]), ...limits.shape }),
      help: {
        appId: '--app <id>  app that owns the key',
        kind: 'sk: for servers, pk: for browsers',
        mode: 'live or test',
        name: '--name <name>  what it is for, as lists show it',
        scopes: '--scope <scope>  what it may do, repeatable (default: sk *, pk otp:issue otp:verify)',
        allowedOrigins: '--origin <origin>  exact origin a pk key may be used from, repeatable',
        allowedCidrs: '--cidr <network>  network an sk key may be used from, repeatable',
        expiresAt: '--expires <date>  when it expires',
        allows: '--allow <what...>  live pk keys: from (set the sender), text (fill variables with free text)',
        issuesPerMin: 'rate limit of this key, live keys only',
        verifiesPerMin: 'rate limit of this key, live keys only',
        readsPerMin: 'rate limit of this key, live keys only',
        issuesPerMinPerIp: 'rate limit for each client address, live keys only',
      },
      run: (
        client,
        { appId, kind, mode, name, scopes: given, allowedOrigins, allowedCidrs, expiresAt, allows, ...limits },
      ) => {
        const scopes = given.length > 0 ? (given as Scope[]) : undefined
        const wanted = { appId, kind, mode, name, scopes, allowedOrigins, allowedCidrs, expiresAt, allows, limits }
        return client.keys.create(wanted)
      },
      json: ({ keyId, key, kind, mode, name, scopes, allowedOrigins }) => ({
        ...{ keyId, key, kind, mode, name, scopes, allowedOrigins },
      }),
      lines: ({ key, keyId }) => [`Created key ${keyId}; it is shown only now:`, key],
    }),
    list: adminCommand({
      summary: 'list the keys of an app',
      examples: ['--app app_4k2m9x0c7q1z'],
      input: APP_OPTION,
      run: async ({ store }, { appId }) => {
        await administer.existingApp({ store }, appId)
        const emails = new Map((await store.read.people.all()).map(({ operatorId, email }) => [operatorId, email]))
        const keys = await store.read.keys.ofApp(appId)
        return keys.map((key) => ({ ...key, createdBy: emails.get(key.createdBy) ?? key.createdBy }))
      },
      json: (keys) => ({ keys: keys.map(({ hash: _, ...rest }) => rest) }),
      lines: (keys, { appId }, { clock }) =>
        table(
          ['KEY', 'NAME', 'CREATED BY', 'BEGINS AND ENDS', 'MODE', 'SCOPES', 'ALLOWS', 'STATE'],
          keys.map((key) => [
            ...[
              key.keyId,
              key.name ?? '',
              creatorInWords(key.createdBy),
              `${key.prefix}…${key.lastFour}`,
              key.mode,
              key.scopes.join(' '),
            ],
            ...[hasAllowances(key) ? key.allows.join(' ') : '', stateOf(key, clock.now())],
          ]),
          `${appId} has no keys yet. \`watchword key create\` creates one.`,
        ),
    }),
    rotate: clientCommand({
      summary: 'create a key with the same rights; the old one stays valid for a while',
      examples: ['key_8s1d0f5g6h7j --overlap-hours 48'],
      input: inputOf(keys.rotate).extend({ overlapHours: z.int().default(24) }),
      help: { keyId: ofKey, overlapHours: 'how long the old key stays valid' },
      run: async (client, { keyId: previousKeyId, overlapHours }) => {
        const { keyId, key, previousWorksUntil } = await client.keys.rotate({ keyId: previousKeyId, overlapHours })
        return { keyId, key, previousKeyId, previousWorksUntil: iso(previousWorksUntil) }
      },
      lines: ({ keyId, key, previousKeyId, previousWorksUntil }) => [
        `Created key ${keyId}; it is shown only now. ${previousKeyId} works until ${previousWorksUntil}:`,
        key,
      ],
    }),
    allow: clientCommand({
      summary: 'extra rights of a live browser key: set the sender (from), write free text (text), or nothing',
      examples: ['key_8s1d0f5g6h7j text', 'key_8s1d0f5g6h7j'],
      input: inputOf(keys.allow),
      help: { keyId: ofKey, allows: '[what...]  from, text; none: nothing' },
      run: async (client, { keyId, allows }) => {
        await client.keys.allow({ keyId, allows })
        return { keyId, allows }
      },
      lines: ({ keyId, allows }) => [
        `Key ${keyId} may ${allows.length > 0 ? `also: ${allows.join(', ')}` : 'do the usual only'}`,
      ],
    }),
    revoke: clientCommand({
      summary: 'revoke a key; it stops working at once',
      examples: ['key_8s1d0f5g6h7j'],
      input: inputOf(keys.revoke),
      help: { keyId: ofKey },
      run: async (client, { keyId }) => ({ keyId, revokedAt: iso((await client.keys.revoke({ keyId })).revokedAt) }),
      lines: ({ keyId }) => [`Revoked key ${keyId}`],
    }),
  })

function stateOf({ revokedAt, expiresAt }: StoredKey, now: number): string {
  if (revokedAt !== undefined) return 'revoked'
  if (expiresAt === undefined) return 'active'
  return `${now < expiresAt ? 'active until' : 'expired'} ${iso(expiresAt)}`
}
