/** The settings of a type of carriers as forms and lists show them, and a configuration made of what was filled in. */
import type { CarrierSetup } from '../domain/delivery/carrier'
import { invalid } from '../domain/shared/error'
import type { ListedType, TypeSetting } from '../ports/carrier'
import { assertCarrier, CARRIER_TYPES, reportsBySecret, showsVerifyToken, typeOf } from './carriers'
import type { DescriptionFile } from './description'
import { DESCRIPTIONS } from './descriptions'
import type { CarrierType } from './type'

const TITLES: Readonly<Record<string, string>> = { http: 'any HTTP API', smpp: 'an SMPP 3.4 session' }
const CODED = Object.keys(TITLES)
const OUR_PAGE = 'docs/carriers.md'

export function listedType(
  type: string,
  { channels, description }: Pick<CarrierType, 'channels'> & { description?: DescriptionFile | undefined },
): ListedType {
  const { title = TITLES[type] ?? type, documentation = OUR_PAGE, fields = {} } = description ?? {}
  return { type, title, channels, documentation, settings: inRow(fields) }
}

const inRow = (fields: DescriptionFile['fields']): TypeSetting[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    'fields' in field
      ? Object.entries(field.fields).map(([inner, setting]) => ({ name: `${name}.${inner}`, ...setting }))
      : [{ name, ...field }],
  )

function typeOfCarrier(carrier: CarrierSetup): ListedType {
  const known = typeOf(carrier)
  return known ? listedType(carrier.type, known) : listedType(carrier.type, { channels: [] })
}

/** A setting by its name; of a group, `group.field`. */
function settingAt(config: Record<string, unknown>, name: string): string | undefined {
  const [first = '', inner] = name.split('.')
  const value = inner === undefined ? config[first] : (config[first] as Record<string, unknown> | undefined)?.[inner]
  return typeof value === 'string' ? value : undefined
}

function put(config: Record<string, unknown>, name: string, value: string): void {
  const [first = '', inner] = name.split('.')
  config[first] = inner === undefined ? value : { ...(config[first] as object | undefined), [inner]: value }
}

/**
 * The configuration with these settings. A secret that is left out stays as it is stored, unless an address changes: it
 * would go to somebody else then. Any other setting that is left out is removed. Throws `invalid`.
 */
function configWith(carrier: CarrierSetup, given: Readonly<Record<string, string>>): Record<string, unknown> {
  const { settings } = typeOfCarrier(carrier)
  const unknown = Object.keys(given).find((name) => settings.every((setting) => setting.name !== name))
  if (unknown !== undefined) throw invalid(`config.${unknown}`, 'unknown_field', 'unknown field or parameter')
  const wanted = ({ name }: TypeSetting) => given[name]?.trim() || undefined
  const stored = ({ name }: TypeSetting) => settingAt(carrier.config, name)
  const isMoved = settings.some(
    (setting) => setting.url && (wanted(setting) ?? setting.default) !== (stored(setting) ?? setting.default),
  )
  const config = { ...carrier.config }
  for (const { name } of settings) delete config[name.split('.')[0] ?? '']
  for (const setting of settings) {
    const value = wanted(setting) ?? (setting.secret ? stored(setting) : undefined)
    if (value === undefined) continue
    if (isMoved && wanted(setting) === undefined)
      throw invalid(`config.${setting.name}`, 'required', 'is required again, because an address changes')
    put(config, setting.name, value)
  }
  return config
}

/** What the console needs to know of the types of carriers. */
export const carrierTypes = {
  assertCarrier,
  reportsBySecret,
  showsVerifyToken,
  configWith,
  /** Of the descriptions as they are written: nothing here is sent by them. */
  list: (): ListedType[] => [
    ...CODED.map((type) => listedType(type, CARRIER_TYPES[type] ?? { channels: [] })),
    ...Object.entries(DESCRIPTIONS).map(([type, read]) => {
      const description = read()
      return listedType(type, { channels: description.channels, description })
    }),
  ],
  /** The type of a carrier, its settings but for the secrets, and which secrets are stored. */
  settingsOf(carrier: CarrierSetup): { type: ListedType; settings: Record<string, string>; secrets: string[] } {
    const type = typeOfCarrier(carrier)
    const stored = type.settings.filter(({ name }) => settingAt(carrier.config, name) !== undefined)
    return {
      type,
      settings: Object.fromEntries(
        stored.filter(({ secret }) => !secret).map(({ name }) => [name, settingAt(carrier.config, name) ?? '']),
      ),
      secrets: stored.filter(({ secret }) => secret).map(({ name }) => name),
    }
  },
}
