/** Compares the installation with a file, and answers steps that a person reads before they are taken. */
import { isDeepStrictEqual } from 'node:util'
import { Refusal } from '../../domain/shared/error'
import type { AdminClient } from '../client'
import { everyApp } from '../every-app'
import type { AppInFile, CarrierInFile, Configuration } from './configuration'

type ItemFields = Readonly<Record<string, unknown>>

/** One thing, by a name that people know it by. */
interface Item {
  key: string
  fields: ItemFields
}

/** Things of one kind. `fields` of a change are all that the file says of the thing. */
interface Kind {
  name: string
  standing: readonly Item[]
  /** Undefined where the file says nothing of the kind: then none is removed. */
  wanted: readonly Item[] | undefined
  /** ItemFields that never come back, such as passwords: alone they are no difference. */
  secrets?: readonly string[]
  add(fields: ItemFields): Promise<unknown>
  change(fields: ItemFields, changed: readonly string[], standing: Item): Promise<unknown>
  remove(standing: Item): Promise<unknown>
}

export interface ConfigurationStep {
  sign: '+' | '~' | '-'
  what: string
  /** The fields that differ, one on each line. */
  details: string[]
  /** Answers secrets and links that are shown this once. */
  take(): Promise<Shown[]>
}

export interface Shown {
  what: string
  value: string
}

/**
 * Reads what stands of what the file speaks of, and answers the steps to what is wanted. Nothing is changed before a step is taken.
 */
export async function stepsTo(
  client: AdminClient,
  wanted: Configuration,
  { prunes = false, hidden = new Set() }: { prunes?: boolean; hidden?: ReadonlySet<string> } = {},
): Promise<ConfigurationStep[]> {
  const { apps } = await everyApp(client)
  const named = (wanted.apps ?? []).map(({ name }) => name)
  assertOneOfEach(
    'app',
    apps.map(({ name }) => name).filter((name) => named.includes(name)),
  )
  const appIds = new Map(apps.map(({ appId, name }) => [name, appId]))
  const kinds = [
    ...(wanted.carriers ? [await carriersOf(client, wanted.carriers)] : []),
    appsOf(client, apps, wanted.apps, appIds),
    ...(await Promise.all((wanted.apps ?? []).map((app) => partsOf(client, app, appIds)))).flat(),
    ...(wanted.routes ? [await routesOf(client, wanted, appIds)] : []),
    ...(wanted.operators ? [await operatorsOf(client, wanted.operators, appIds)] : []),
  ]
  for (const { name, wanted = [] } of kinds)
    assertOneOfEach(
      name,
      wanted.map(({ key }) => key),
    )
  const changes = kinds.flatMap((kind) => (kind.wanted ?? []).flatMap((item) => stepFor(kind, item, hidden) ?? []))
  const removals = prunes ? kinds.toReversed().flatMap(removalsOf) : []
  return [...changes, ...removals]
}

/** Throws `invalid`. */
function assertOneOfEach(kind: string, keys: readonly string[]): void {
  const twice = keys.find((key, index) => keys.indexOf(key) < index)
  if (twice !== undefined) throw wrong(`There are two of ${kind} ${twice}: the file could not tell them apart`)
}

const wrong = (message: string) => new Refusal('invalid', message)

function stepFor(kind: Kind, { key, fields }: Item, hidden: ReadonlySet<string>): ConfigurationStep | undefined {
  const what = `${kind.name} ${key}`
  const standing = kind.standing.find((item) => item.key === key)
  if (!standing) return { sign: '+', what, details: [], take: async () => shownOf(what, await kind.add(fields)) }
  const open = Object.entries(fields).filter(([name]) => !kind.secrets?.includes(name))
  const differing = open.filter(([name, value]) => !covers(standing.fields[name], value))
  if (differing.length === 0) return undefined
  const changed = differing.map(([name]) => name)
  return {
    ...{ sign: '~', what },
    details: differing.flatMap(([name, value]) => differences(name, standing.fields[name], value, hidden)),
    take: async () => shownOf(what, await kind.change(fields, changed, standing)),
  }
}

const removalsOf = (kind: Kind): ConfigurationStep[] =>
  kind.wanted === undefined
    ? []
    : kind.standing
        .filter(({ key }) => !kind.wanted?.some((item) => item.key === key))
        .map((item) => ({
          ...{ sign: '-', what: `${kind.name} ${item.key}`, details: [] },
          take: async () => shownOf('', await kind.remove(item)),
        }))

/** In place of a secret that differs from the stored one. */
const ANOTHER = '(another one)'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether what stands is all that is wanted; more may stand. A list is wanted as a whole. */
function covers(standing: unknown, wanted: unknown): boolean {
  if (isObject(wanted)) {
    const known = isObject(standing) ? standing : {}
    return Object.entries(wanted).every(([name, value]) => covers(known[name], value))
  }
  return wanted === undefined || isDeepStrictEqual(plain(standing), plain(wanted))
}

const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

function differences(name: string, standing: unknown, wanted: unknown, hidden: ReadonlySet<string>): string[] {
  if (covers(standing, wanted)) return []
  if (wanted === ANOTHER || hidden.has(wanted as string)) return [`${name}: differs`]
  if (!isObject(wanted)) return [`${name}: ${inWords(standing)} → ${inWords(wanted)}`]
  const known = isObject(standing) ? standing : {}
  return Object.entries(wanted).flatMap(([inner, value]) =>
    differences(`${name}.${inner}`, known[inner], value, hidden),
  )
}

const inWords = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value))

const ONCE = ['secret', 'reportSecret', 'url'] as const

function shownOf(what: string, answer: unknown): Shown[] {
  if (!isObject(answer)) return []
  return ONCE.flatMap((name) => {
    const value = answer[name]
    return typeof value === 'string' && !('relayId' in answer && name === 'url')
      ? [{ what: `${what}, ${name}`, value }]
      : []
  })
}

async function carriersOf(client: AdminClient, wanted: readonly CarrierInFile[]): Promise<Kind> {
  const stands = new Map((await standingCarriers(client)).map((carrier) => [carrier.name, carrier]))
  const { types } = await client.carriers.types()
  const item = async (carrier: CarrierInFile): Promise<Item> => {
    const { name, type, channels, settings } = carrier
    const known = types.find((one) => one.type === type)
    const standing = stands.get(name)
    if (!known && standing?.type !== type)
      throw wrong(`carrier ${name}: no such type: ${type}; there are ${types.map((one) => one.type).join(', ')}`)
    const unknown = known && Object.keys(settings).find((name) => known.settings.every((one) => one.name !== name))
    if (unknown) throw wrong(`carrier ${name}: ${type} has no setting ${unknown}; it has ${namesOf(known.settings)}`)
    const isSecret = (name: string) => known?.settings.some((one) => one.name === name && one.secret)
    // Stored secrets never come back: the server compares them.
    const { differing } = standing ? await client.carriers.compare({ name, channels, settings }) : { differing: [] }
    const shown = Object.entries(settings).flatMap(([setting, value]) => {
      if (!isSecret(setting)) return [[setting, value]]
      return differing.includes(setting) ? [[setting, ANOTHER]] : []
    })
    return { key: name, fields: { type, channels, settings: Object.fromEntries(shown), given: carrier } }
  }
  /** A setting that the file does not name stays. */
  const orderOf = ({ given }: ItemFields) => {
    const { name, type, channels, settings } = given as CarrierInFile
    return { name, type, channels, settings: { ...stands.get(name)?.settings, ...settings } }
  }
  return {
    ...{ name: 'carrier', secrets: ['given'], wanted: await Promise.all(wanted.map(item)) },
    standing: [...stands.values()].map(({ name, type, channels, settings }) => ({
      ...{ key: name, fields: { type, channels, settings } },
    })),
    add: (fields) => client.carriers.add(orderOf(fields)),
    async change(fields, changed) {
      const { type: _, ...order } = orderOf(fields)
      if (changed.includes('type')) throw wrong(`The type of the carrier ${order.name} cannot change: add another one`)
      return client.carriers.change(order)
    },
    remove: ({ key }) => client.carriers.remove({ name: key }),
  }
}

const namesOf = (settings: ReadonlyArray<{ name: string }>) => settings.map(({ name }) => name).join(', ')

async function standingCarriers(client: AdminClient) {
  const { providers } = await client.carriers.list()
  return Promise.all(
    providers.map(async ({ name }) => {
      const { type, channels, settings, secrets } = await client.carriers.settings({ name })
      return { name, type: type.type, channels, settings, secrets }
    }),
  )
}

type ListedApp = Awaited<ReturnType<AdminClient['apps']['list']>>['apps'][number]

const settingsOfApp = ({
  region,
  retentionDays,
  provesMetadata,
  texts,
  protection,
}: ListedApp | AppInFile): ItemFields => ({
  ...{ region, retentionDays, provesMetadata, texts, protection },
})

function appsOf(
  client: AdminClient,
  stands: readonly ListedApp[],
  wanted: Configuration['apps'],
  appIds: Map<string, string>,
): Kind {
  const set = async (appId: string, fields: ItemFields, changed: readonly string[]) => {
    const { region, retentionDays, provesMetadata, texts, protection } = fields as ReturnType<typeof settingsOfApp> &
      AppInFile
    const isGiven = (name: string) => changed.includes(name)
    if (isGiven('region')) await client.apps.setRegion({ appId, region })
    if (isGiven('retentionDays')) await client.apps.setRetention({ appId, retentionDays })
    if (isGiven('provesMetadata'))
      await client.apps.setProvesMetadata({ appId, provesMetadata: provesMetadata ?? false })
    if (isGiven('texts') && texts) await client.apps.setTexts({ appId, texts })
    if (isGiven('protection') && protection) await client.apps.protect({ appId, protection })
  }
  const given = (fields: ItemFields) => Object.keys(fields).filter((name) => fields[name] !== undefined)
  return {
    name: 'app',
    standing: stands.map((app) => ({ key: app.name, fields: settingsOfApp(app) })),
    wanted: wanted?.map((app) => ({ key: app.name, fields: { ...settingsOfApp(app), name: app.name } })),
    secrets: ['name'],
    async add(fields) {
      const { appId } = await client.apps.create({ name: fields.name as string, region: fields.region as string })
      appIds.set(fields.name as string, appId)
      await set(
        appId,
        fields,
        given(fields).filter((name) => name !== 'region'),
      )
    },
    change: (fields, changed) => set(idOf(appIds, fields.name as string), fields, changed),
    remove: ({ key }) => client.apps.remove({ appId: idOf(appIds, key) }),
  }
}

/** An app of the file may be new: its id is known once it is added. */
function idOf(appIds: ReadonlyMap<string, string>, name: string): string {
  const appId = appIds.get(name)
  if (appId === undefined) throw wrong(`There is no app called ${name}`)
  return appId
}

const planKeyOf = ({ channel, country }: { channel: string; country?: string | undefined }) =>
  [channel, country].filter(Boolean).join(' ')

/** The templates, plans, webhooks and relays of an app. */
async function partsOf(client: AdminClient, wanted: AppInFile, appIds: ReadonlyMap<string, string>): Promise<Kind[]> {
  const { name } = wanted
  const known = appIds.get(name)
  const stands = known === undefined ? undefined : await standingParts(client, known, wanted)
  const app = () => idOf(appIds, name)
  const named =
    <T>(key: (one: T) => string) =>
    (one: T): Item => ({ key: `${key(one)} of ${name}`, fields: one as ItemFields })
  const hookKey = ({ mode, url }: { mode: string; url: string }) => `${mode} ${url}`
  const relayKey = ({ mode, name: relay }: { mode: string; name: string }) => `${mode} ${relay}`
  type Template = Parameters<AdminClient['templates']['save']>[0]['template']
  type Hook = Parameters<AdminClient['webhooks']['add']>[0]
  const asHook = (fields: ItemFields) => ({ filters: {}, template: '', ...fields }) as Hook
  return [
    {
      name: 'template',
      standing: stands?.templates.map(named(({ templateId }) => templateId)) ?? [],
      wanted: wanted.templates?.map(named(({ templateId }) => templateId)),
      add: (fields) => client.templates.save({ appId: app(), template: asTemplate(fields as TemplateInFile) }),
      change: (fields, _, standing) =>
        client.templates.save({ appId: app(), template: { ...standing.fields, ...fields } as Template }),
      remove: ({ fields }) => client.templates.remove({ appId: app(), templateId: fields.templateId as string }),
    },
    {
      name: 'plan',
      standing: stands?.plans.map(named(planKeyOf)) ?? [],
      wanted: wanted.plans?.map(named(planKeyOf)),
      add: (fields) => client.apps.setPlan({ appId: app(), ...(fields as PlanInFile) }),
      change: (fields) => client.apps.setPlan({ appId: app(), ...(fields as PlanInFile) }),
      remove({ fields }) {
        const { channel, country } = fields as PlanInFile
        return client.apps.removePlan({ appId: app(), channel, country })
      },
    },
    {
      name: 'webhook',
      standing: stands?.webhooks.map(named(hookKey)) ?? [],
      wanted: wanted.webhooks?.map(named(hookKey)),
      secrets: ['headers', 'endpointId', 'mode'],
      async add({ enabled, ...fields }) {
        const { endpoint, secret } = await client.webhooks.add({ ...asHook(fields), appId: app() })
        if (enabled === false) await client.webhooks.update({ endpointId: endpoint.endpointId, enabled })
        return { secret }
      },
      async change({ mode: _, ...fields }, __, { fields: { endpointId } }) {
        await client.webhooks.update({ endpointId: endpointId as string, ...fields })
      },
      remove: ({ fields }) => client.webhooks.remove({ endpointId: fields.endpointId as string }),
    },
    {
      name: 'relay',
      standing: stands?.relays.map(named(relayKey)) ?? [],
      wanted: wanted.relays?.map(named(relayKey)),
      secrets: ['secret'],
      add: (fields) =>
        client.relays.create({ ...(fields as unknown as NonNullable<AppInFile['relays']>[number]), appId: app() }),
      async change({ name: relay }) {
        throw wrong(`The relay ${relay} cannot change: remove it, and add it anew`)
      },
      remove: ({ fields }) => client.relays.remove({ relayId: fields.relayId as string }),
    },
  ]
}

type AppPart = 'templates' | 'webhooks' | 'relays'
const ALL_PARTS: Record<AppPart, true> = { templates: true, webhooks: true, relays: true }

type PlanInFile = NonNullable<AppInFile['plans']>[number]

/** As `watchword template set` fills it in. */
type TemplateInFile = NonNullable<AppInFile['templates']>[number]
const asTemplate = (template: TemplateInFile) => ({
  ...{ name: template.templateId, channelSupport: ['sms' as const], variables: {}, bodies: {} },
  providerTemplateCode: template.templateId,
  ...template,
})

/** `wanted`: of which parts. */
async function standingParts(client: AdminClient, appId: string, wanted: Readonly<Partial<Record<AppPart, unknown>>>) {
  const [{ templates }, { endpoints }, { relays }, app] = await Promise.all([
    wanted.templates ? client.templates.list({ appId }) : { templates: [] },
    wanted.webhooks ? client.webhooks.list({ appId }) : { endpoints: [] },
    wanted.relays ? client.relays.list({ appId }) : { relays: [] },
    client.apps.show({ appId }),
  ])
  return {
    templates: templates.filter(({ isBuiltIn }) => !isBuiltIn).map(({ isBuiltIn: _, isDefault: __, ...own }) => own),
    webhooks: endpoints.map(({ endpointId, mode, url, events, filters, template, enabled, headers }) => ({
      ...{ endpointId, mode, url, events, filters, template, enabled, headers },
    })),
    relays: relays.map(({ relayId, name, source, mode, templateId, legs }) => ({
      ...{ relayId, name, source, mode, templateId, legs },
    })),
    plans: app.plans ?? [],
  }
}

async function routesOf(
  client: AdminClient,
  { routes: wanted = [], carriers = [], apps = [] }: Configuration,
  appIds: ReadonlyMap<string, string>,
): Promise<Kind> {
  const known = [...carriers, ...(await client.carriers.list()).providers].map(({ name }) => name)
  for (const { channel, providers, app } of wanted) {
    const missing = providers.find((name) => !known.includes(name))
    if (missing !== undefined) throw wrong(`route ${channel}: there is no carrier called ${missing}`)
    if (app !== undefined && !appIds.has(app) && apps.every(({ name }) => name !== app))
      throw wrong(`route ${channel}: there is no app called ${app}`)
  }
  type RouteInFile = NonNullable<Configuration['routes']>[number]
  const stands = await standingRoutes(client, new Map([...appIds].map(([name, appId]) => [appId, name])))
  const item = (route: RouteInFile): Item => ({
    key: [route.channel, route.country, route.app && `of ${route.app}`].filter(Boolean).join(' '),
    fields: route,
  })
  const placeOf = (fields: ItemFields) => {
    const { channel, country, app } = fields as RouteInFile
    return { channel, country, ...(app !== undefined && { appId: idOf(appIds, app) }) }
  }
  const set = (fields: ItemFields) =>
    client.carriers.setRoute({ ...placeOf(fields), providers: (fields as RouteInFile).providers })
  return {
    ...{ name: 'route', standing: stands.map(item), wanted: wanted.map(item), add: set, change: set },
    remove: ({ fields }) => client.carriers.removeRoute(placeOf(fields)),
  }
}

const standingRoutes = async (client: AdminClient, names: ReadonlyMap<string, string>) =>
  (await client.carriers.routes()).routes.map(({ appId, ...route }) => ({
    ...route,
    ...(appId !== undefined && { app: names.get(appId) ?? appId }),
  }))

async function operatorsOf(
  client: AdminClient,
  wanted: NonNullable<Configuration['operators']>,
  appIds: ReadonlyMap<string, string>,
): Promise<Kind> {
  type OperatorInFile = NonNullable<Configuration['operators']>[number]
  const names = new Map([...appIds].map(([name, appId]) => [appId, name]))
  const { operators, invitations } = await client.operators.list()
  const fieldsOf = ({ role, appIds: seen }: { role: OperatorInFile['role']; appIds?: string[] | undefined }) => ({
    ...{ role, apps: seen?.map((appId) => names.get(appId) ?? appId) },
  })
  const rightsOf = ({ role, apps }: ItemFields) => ({
    role: role as OperatorInFile['role'],
    appIds: (apps as string[] | undefined)?.map((app) => idOf(appIds, app)),
  })
  return {
    name: 'operator',
    standing: [
      ...operators.map((one) => ({ key: one.email, fields: { ...fieldsOf(one), operatorId: one.operatorId } })),
      ...invited(invitations).map(({ email, ...one }) => ({
        ...{ key: email.toLowerCase(), fields: { ...fieldsOf(one), invitationId: one.invitationId } },
      })),
    ],
    wanted: wanted.map(({ email, role, apps }) => ({ key: email.toLowerCase(), fields: { role, apps, email } })),
    secrets: ['email'],
    add: (fields) => client.operators.invite({ ...rightsOf(fields), note: fields.email as string }),
    async change(fields, _, { fields: { operatorId, invitationId } }) {
      if (operatorId !== undefined)
        return client.operators.changeRole({ ...rightsOf(fields), operatorId: operatorId as string })
      await client.operators.withdraw({ invitationId: invitationId as string })
      return client.operators.invite({ ...rightsOf(fields), note: fields.email as string })
    },
    remove: ({ fields: { operatorId, invitationId } }) =>
      operatorId === undefined
        ? client.operators.withdraw({ invitationId: invitationId as string })
        : client.operators.remove({ operatorId: operatorId as string }),
  }
}

/** Those that were invited by their address; other notes are people's own. */
const invited = <Invitation extends { note?: string | undefined }>(invitations: readonly Invitation[]) =>
  invitations.flatMap(({ note: email, ...one }) => (email?.includes('@') ? [{ ...one, email }] : []))

/** A file of what stands. In place of secrets it has references to the environment. */
export async function configurationOf(client: AdminClient): Promise<Configuration> {
  const { apps } = await everyApp(client)
  const names = new Map(apps.map(({ appId, name }) => [appId, name]))
  const reference = (...words: string[]) =>
    `env:${words
      .join('_')
      .replace(/[^A-Za-z0-9]+/g, '_')
      .toUpperCase()}`
  const { operators, invitations } = await client.operators.list()
  return {
    carriers: (await standingCarriers(client)).map(({ secrets, settings, ...carrier }) => ({
      ...carrier,
      settings: {
        ...settings,
        ...Object.fromEntries(secrets.map((secret) => [secret, reference(carrier.name, secret)])),
      },
    })),
    apps: await Promise.all(
      apps.map(async (app) => {
        const { templates, webhooks, relays, plans } = await standingParts(client, app.appId, ALL_PARTS)
        const { phones: _, ...trusted } = app.protection.trusted
        return {
          ...{
            name: app.name,
            region: app.region,
            retentionDays: app.retentionDays,
            provesMetadata: app.provesMetadata,
          },
          ...{ texts: app.texts, protection: { ...app.protection, trusted }, plans, templates },
          webhooks: webhooks.map(({ endpointId: __, headers, ...hook }) => ({
            ...hook,
            headers: Object.fromEntries(headers.map((name) => [name, reference(app.name, 'webhook', name)])),
          })),
          relays: relays.map(({ relayId: __, ...relay }) => relay),
        }
      }),
    ),
    routes: await standingRoutes(client, names),
    operators: [...operators, ...invited(invitations)].map(({ email, role, appIds }) => ({
      ...{ email, role },
      ...(appIds && { apps: appIds.map((appId) => names.get(appId) ?? appId) }),
    })),
  }
}
