import { implement } from '@orpc/server'
import { type Protection, protectionOf } from '../../abuse/rules/protection'
import type { StoredKey } from '../../domain/access/api-key'
import { isActive } from '../../domain/access/api-key'
import type { App } from '../../domain/access/app'
import { hasAllowances } from '../../domain/access/browser-key'
import { seesApp } from '../../domain/access/operator'
import { textsOf } from '../../domain/message/rendered-message'
import { regions } from '../../domain/phone/phone'
import { twilioSettings } from '../../http/compat/twilio-answer'
import * as administer from '../../usecases/administer'
import { COMMAND_LINE } from '../../usecases/shared/write-audit'
import { type AdminContext, type AdminServices, actorOf, administratorOf, adminOf, countriesOf, OK } from '../context'
import { adminContract } from '../contract'

export function appProcedures(deps: AdminServices) {
  const os = implement(adminContract.apps).$context<AdminContext>()
  const view = (app: App) => ({
    ...{ ...app, protection: protectionView(protectionOf(app)), texts: textsOf(app) },
    provesMetadata: app.provesMetadata ?? false,
    plans: app.plans?.map((plan) => ({ ...plan, legs: [...plan.legs] })),
  })
  const reviewDeps = (context: AdminContext) => ({ ...adminOf(deps, context), numbering: deps.facts.numbering })
  return os.router({
    list: os.list.handler(async ({ input: { after, limit }, context }) => {
      const page = await deps.store.read.apps.page(after, limit)
      return {
        apps: page.filter(({ appId }) => seesApp(administratorOf(context), appId)).map(view),
        ...(page.length === limit && { next: page.at(-1)?.appId }),
        defaultRegion: deps.facts.numbering.region,
        liveRetentionDays: deps.facts.liveRetentionDays,
      }
    }),
    show: os.show.handler(async ({ input }) => view(await administer.existingApp(deps, input.appId))),
    create: os.create.handler(async ({ input, context }) =>
      view(await administer.createApp(adminOf(deps, context), input)),
    ),
    rename: os.rename.handler(async ({ input, context }) =>
      view(await administer.renameApp(adminOf(deps, context), input.appId, input.name)),
    ),
    remove: os.remove.handler(async ({ input, context }) => {
      const { app: _, ...removed } = await administer.removeApp(adminOf(deps, context), input.appId)
      return removed
    }),
    setRegion: os.setRegion.handler(async ({ input, context }) =>
      view(await administer.setRegion(adminOf(deps, context), input.appId, input.region)),
    ),
    protect: os.protect.handler(async ({ input, context }) =>
      view(await administer.protectApp(adminOf(deps, context), input.appId, input.protection)),
    ),
    setTexts: os.setTexts.handler(async ({ input, context }) =>
      view(await administer.setTexts(adminOf(deps, context), input.appId, input.texts)),
    ),
    setProvesMetadata: os.setProvesMetadata.handler(async ({ input, context }) =>
      view(await administer.setProvesMetadata(adminOf(deps, context), input.appId, input.provesMetadata)),
    ),
    setRetention: os.setRetention.handler(async ({ input, context }) =>
      view(await administer.setRetention(adminOf(deps, context), input.appId, input.retentionDays)),
    ),
    setPlan: os.setPlan.handler(async ({ input, context }) => {
      const { appId, channel, legs, resend } = input
      const countries = countriesOf(input)
      await administer.setPlans(adminOf(deps, context), appId, { channel, legs, resend }, countries)
      return OK
    }),
    removePlan: os.removePlan.handler(async ({ input: { appId, channel, country }, context }) => {
      await administer.removePlan(adminOf(deps, context), appId, { channel, country })
      return OK
    }),
    challenge: os.challenge.handler(async ({ input }) => ({
      challenge: await administer.challengeOfApp(deps, input.appId),
    })),
    setChallenge: os.setChallenge.handler(async ({ input: { appId, siteKey, ...decided }, context }) => {
      await administer.setChallenge(adminOf(deps, context), appId, { ...decided, siteKey })
      return OK
    }),
    removeChallenge: os.removeChallenge.handler(async ({ input, context }) => {
      await administer.removeChallenge(adminOf(deps, context), input.appId)
      return OK
    }),
    reviewNumbers: os.reviewNumbers.handler(async ({ input, context }) => ({
      reviewNumbers: await administer.listReviewNumbers(reviewDeps(context), input.appId),
    })),
    addReviewNumber: os.addReviewNumber.handler(({ input: { appId, ...wanted }, context }) =>
      administer.addReviewNumber(reviewDeps(context), appId, wanted),
    ),
    removeReviewNumber: os.removeReviewNumber.handler(async ({ input, context }) => {
      await administer.removeReviewNumber(adminOf(deps, context), input.appId, input.name)
      return OK
    }),
    twilio: os.twilio.handler(async ({ input, context }) =>
      twilioSettings(await administer.existingApp(adminOf(deps, context), input.appId), context.origin),
    ),
    addTwilioPurpose: os.addTwilioPurpose.handler(async ({ input: { appId, purpose }, context }) =>
      twilioSettings(await administer.addTwilioPurpose(adminOf(deps, context), appId, purpose), context.origin),
    ),
    regions: os.regions.handler(() => ({ regions: [...regions()] })),
  })
}

/** Omits trusted phones, because their hashes are meaningless to people. */
const protectionView = ({ blocks: _, open, secretTo, closed, caps, trusted, ...protection }: Protection) => ({
  ...protection,
  open: [...open],
  secretTo: [...secretTo],
  closed: [...closed],
  caps: [...caps],
  trusted: {
    networks: [...trusted.networks],
    countries: [...trusted.countries],
    phones: trusted.phones.length,
  },
})

export const shownKey = ({ prefix, lastFour }: StoredKey) => `${prefix}…${lastFour}`

interface Creator {
  name: string | undefined
  isCommandLine: boolean
  isMine: boolean
}

export function keyProcedures(deps: AdminServices) {
  const os = implement(adminContract.keys).$context<AdminContext>()
  const { store, clock, node } = deps

  const view = (key: StoredKey, creator: Creator) => ({
    keyId: key.keyId,
    name: key.name,
    creator,
    kind: key.kind,
    mode: key.mode,
    shown: shownKey(key),
    scopes: [...key.scopes],
    allowedOrigins: [...key.allowedOrigins],
    allowedCidrs: [...key.allowedCidrs],
    limits: key.limits,
    allows: [...key.allows],
    isOpen: isActive(key, clock.now()) && hasAllowances(key),
    state: stateOf(key, clock.now()),
    createdAt: key.createdAt,
    expiresAt: key.expiresAt,
    revokedAt: key.revokedAt,
    lastUsedAt: node.keyUse.latest(key.keyId) ?? key.lastUsedAt,
  })

  return os.router({
    list: os.list.handler(async ({ input, context }) => {
      await administer.existingApp({ store }, input.appId)
      const names = new Map((await store.read.people.all()).map(({ operatorId, name }) => [operatorId, name]))
      const creatorOf = ({ createdBy }: StoredKey) => ({
        name: names.get(createdBy),
        isCommandLine: createdBy === COMMAND_LINE,
        isMine: createdBy === actorOf(context).name,
      })
      return { keys: (await store.read.keys.ofApp(input.appId)).map((key) => view(key, creatorOf(key))).reverse() }
    }),
    create: os.create.handler(async ({ input, context }) => {
      const { key, stored } = await administer.createKey(adminOf(deps, context), input)
      const { keyId, kind, mode, name, scopes, allowedOrigins } = stored
      return { keyId, key, kind, mode, name, scopes: [...scopes], allowedOrigins: [...allowedOrigins] }
    }),
    rotate: os.rotate.handler(async ({ input, context }) => {
      const { key, stored, previousWorksUntil } = await administer.rotateKey(
        adminOf(deps, context),
        input.keyId,
        input.overlapHours,
      )
      return { keyId: stored.keyId, key, previousWorksUntil }
    }),
    allow: os.allow.handler(async ({ input, context }) => {
      await administer.allowKey(adminOf(deps, context), input.keyId, input.allows)
      return OK
    }),
    revoke: os.revoke.handler(async ({ input, context }) => {
      const { revokedAt = deps.clock.now() } = await administer.revokeKey(adminOf(deps, context), input.keyId)
      return { revokedAt }
    }),
  })
}

function stateOf(key: StoredKey, now: number): 'active' | 'expired' | 'revoked' {
  if (isActive(key, now)) return 'active'
  return key.revokedAt === undefined ? 'expired' : 'revoked'
}
