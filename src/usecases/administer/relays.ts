/** Relays of an app: platforms whose codes it delivers. Decisions: "Relays". */
import type { PlannedLeg } from '../../domain/delivery/plan'
import { withBuiltIn } from '../../domain/message/template'
import {
  assertRelay,
  platformMakesSecret,
  type Relay,
  type RelaySource,
  replacedSecret,
} from '../../domain/relays/relay'
import { invalid, missing } from '../../domain/shared/error'
import type { Mode } from '../../domain/shared/value'
import type { Tx } from '../../ports/store'
import type { Random } from '../../ports/vault'
import { newId } from '../shared/id'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, existingApp, invalidName, lockApp, type MakingDependencies, NAME } from './shared'

const RELAYS_MAX = 20

export interface WantedRelay {
  name: string
  source: RelaySource
  mode: Mode
  /** The secret of a platform that makes its own. Undefined: it follows later. */
  secret?: string | undefined
  templateId?: string | undefined
  legs?: readonly PlannedLeg[] | undefined
}

/** A relay, and the secret for the platform's settings, which is shown only now. */
export interface NewRelay {
  relay: Relay
  newSecret: string | undefined
}

/** Throws `invalid` or `not_found`. */
export async function addRelay(deps: MakingDependencies, appId: string, wanted: WantedRelay): Promise<NewRelay> {
  const { name, source, mode, templateId, legs } = wanted
  if (!NAME.test(name)) throw invalidName('name')
  const newSecret = secretFor(deps, source, wanted.secret)
  const secret = newSecret ?? wanted.secret
  return deps.store.transaction(async (tx) => {
    await lockApp(tx, appId)
    const known = await deps.store.read.relays.ofApp(appId)
    if (known.some((relay) => relay.name === name && relay.mode === mode))
      throw invalid('name', 'name_taken', `there is a relay ${name} already`, { name })
    if (known.length >= RELAYS_MAX)
      throw invalid('name', 'too_many', `at most ${RELAYS_MAX} relays`, { max: RELAYS_MAX })
    if (templateId !== undefined) await assertTemplateOf(deps, appId, templateId)
    const relay: Relay = {
      ...{ relayId: newId(deps.random, 'rly'), appId, name, source, mode, templateId, legs },
      secrets: secret === undefined ? [] : [{ secret, until: undefined }],
      createdAt: tx.now,
    }
    assertRelay(relay)
    await tx.relays.save(relay)
    await audit(deps, tx, 'relay.add', relay)
    return { relay, newSecret }
  })
}

/** A new secret, in the spelling of the platform; undefined where it makes its own. Throws `invalid`. */
function secretFor({ random }: { random: Random }, source: RelaySource, given: string | undefined): string | undefined {
  if (given !== undefined || platformMakesSecret(source)) return undefined
  const bytes = Buffer.from(random.bytes(32))
  return source === 'supabase' ? `v1,whsec_${bytes.toString('base64')}` : bytes.toString('base64url')
}

/** Another secret; the one before goes on for a day. Throws `invalid` or `not_found`. */
export async function changeRelaySecret(
  deps: MakingDependencies,
  relayId: string,
  given: string | undefined,
): Promise<NewRelay> {
  const { appId } = await existingRelay(deps, relayId)
  return deps.store.transaction(async (tx) => {
    await lockApp(tx, appId)
    const relay = await existingRelay(deps, relayId)
    const newSecret = secretFor(deps, relay.source, given)
    const secret = newSecret ?? given
    if (secret === undefined) throw invalid('secret', 'required', `${relay.source} makes the secret: give it`)
    const changed = { ...relay, secrets: replacedSecret(relay, secret, tx.now) }
    assertRelay(changed)
    await tx.relays.save(changed)
    await audit(deps, tx, 'relay.secret', changed)
    return { relay: changed, newSecret }
  })
}

/** Throws `not_found`. */
export async function removeRelay(deps: AdminDependencies, relayId: string): Promise<Relay> {
  const relay = await existingRelay(deps, relayId)
  await deps.store.transaction(async (tx) => {
    await lockApp(tx, relay.appId)
    if (!(await tx.relays.remove(relayId))) throw missing('relay', relayId)
    await audit(deps, tx, 'relay.remove', relay)
  })
  return relay
}

/** Throws `not_found`. */
export async function listRelays(deps: AdminDependencies, appId: string): Promise<Relay[]> {
  await existingApp(deps, appId)
  return deps.store.read.relays.ofApp(appId)
}

async function existingRelay({ store }: AdminDependencies, relayId: string): Promise<Relay> {
  const relay = await store.read.relays.find(relayId)
  if (!relay) throw missing('relay', relayId)
  return relay
}

async function assertTemplateOf({ store }: AdminDependencies, appId: string, templateId: string): Promise<void> {
  const known = withBuiltIn(await store.read.templates.ofApp(appId)).find((one) => one.templateId === templateId)
  if (!known) throw missing('template', templateId)
}

const audit = (deps: AdminDependencies, tx: Tx, action: string, { relayId, appId, name, source, mode }: Relay) =>
  writeAudit(deps, tx, action, relayId, { app: appId, name, source, mode })
