/** The settings of a type of carriers as forms and lists show them, and a configuration made of what was filled in. */
import type { CarrierConfig, CarrierSetup } from '../domain/delivery/carrier'
import { invalid } from '../domain/shared/error'
import type { ListedType, TypeSetting } from '../ports/carrier'
import { assertCarrier, assertType, CARRIER_TYPES, reportsBySecret, showsVerifyToken, typeOf } from './carriers'
import type { DescriptionFile } from './description'
import { DESCRIPTIONS } from './descriptions'
import { withEngineSettings } from './engine-settings'
import type { CarrierType } from './type'

const TITLES: Readonly<Record<string, string>> = { http: 'any HTTP API', smpp: 'an SMPP 3.4 session' }
const CODED = Object.keys(TITLES)
const OUR_PAGE = 'docs/carriers.md'

export function listedType(
  type: string,
  { channels, description, settings }: Pick<CarrierType, 'channels' | 'settings'> & { description?: DescriptionFile },
): ListedType {
  const { title = TITLES[type] ?? type, documentation = OUR_PAGE } = description ?? {}
  const fields = description ? withEngineSettings(description) : {}
  return { type, title, channels, documentation, settings: settings ?? inRow(fields) }
}

const inRow = (fields: DescriptionFile['fields']): TypeSetting[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    'fields' in field
      ? Object.entries(field.fields).map(([inner, setting]) => ({
          name: `${name}.${inner}`,
          group: field.title,
          ...setting,
        }))
      : [{ name, ...field }],
  )

function formOfCarrier(carrier: CarrierSetup): ListedType {
  const known = typeOf(carrier)
  return known ? listedType(carrier.type, known) : listedType(carrier.type, { channels: [] })
}

function leafOf(config: Record<string, unknown>, name: string): { group: Record<string, unknown>; leaf: string } {
  const [first = '', inner] = name.split('.')
  if (inner === undefined) return { group: config, leaf: first }
  const group = { ...(config[first] as Record<string, unknown> | undefined) }
  config[first] = group
  return { group, leaf: inner }
}

/** The stored value of a setting, as it is typed. */
function textOf(config: Record<string, unknown>, { name, kind }: TypeSetting): string | undefined {
  const { group, leaf } = leafOf({ ...config }, name)
  const value = group[leaf]
  if (value === undefined || value === null || value === false) return undefined
  if (kind === 'flag') return 'true'
  if (kind === 'headers')
    return Object.entries(value)
      .map((header) => header.join(': '))
      .join('\n')
  return String(value)
}

function valueFrom({ name, kind }: TypeSetting, text: string): unknown {
  if (kind === 'number') return Number(text)
  if (kind === 'flag') return text === 'true'
  return kind === 'headers' ? headersIn(`config.${name}`, text) : text
}

function headersIn(param: string, text: string): Record<string, string> {
  const says = 'each line must be a header such as X-Api-Key: secret'
  return Object.fromEntries(
    text.split('\n').map((line) => {
      const [, name, value] = /^([^:]+):(.*)$/.exec(line) ?? []
      if (name === undefined || value === undefined) throw invalid(param, 'invalid_setting', says, { says })
      return [name.trim(), value.trim()]
    }),
  )
}

/**
 * The configuration with these settings. A secret that is left out stays as it is stored, unless an address changes: it
 * would go to somebody else then. Any other setting that is left out is removed. Throws `invalid`.
 */
function configWith(carrier: CarrierSetup, given: Readonly<Record<string, string>>): Record<string, unknown> {
  assertType(carrier)
  const { settings } = formOfCarrier(carrier)
  const unknown = Object.keys(given).find((name) => settings.every((setting) => setting.name !== name))
  if (unknown !== undefined) throw invalid(`config.${unknown}`, 'unknown_field', 'unknown field or parameter')
  const typed = ({ name }: TypeSetting) => given[name]?.trim() || undefined
  const stored = (setting: TypeSetting) => textOf(carrier.config, setting)
  const wanted = (setting: TypeSetting) => typed(setting) ?? (setting.secret ? stored(setting) : undefined)
  const isMoved = settings.some((one) => one.url && (wanted(one) ?? one.default) !== (stored(one) ?? one.default))
  const config = { ...carrier.config }
  for (const setting of settings) {
    const { name, secret } = setting
    const text = wanted(setting)
    if (isMoved && secret && text !== undefined && typed(setting) === undefined)
      throw invalid(`config.${name}`, 'required', 'is required again, because an address changes')
    // Settings that the form cannot show, such as the CA of a connection, stay.
    if (text === stored(setting)) continue
    const { group, leaf } = leafOf(config, name)
    if (text === undefined) delete group[leaf]
    else group[leaf] = valueFrom(setting, text)
    if (Object.keys(group).length === 0) delete config[name.split('.')[0] ?? '']
  }
  return config
}

/** The types of carriers, for the console. */
export const carrierTypes = {
  assertCarrier,
  reportsBySecret,
  showsVerifyToken,
  configWith,
  /** The descriptions as they are written, since nothing is sent by them here. */
  list: (): ListedType[] => [
    ...CODED.flatMap((type) => (CARRIER_TYPES[type] ? [listedType(type, CARRIER_TYPES[type])] : [])),
    ...Object.entries(DESCRIPTIONS).map(([type, read]) => {
      const description = read()
      return listedType(type, { channels: description.channels, description })
    }),
  ],
  /** The settings that differ from those that are stored, by name, also secrets; and `channels`. */
  differing(
    carrier: CarrierConfig,
    { channels, settings }: Pick<CarrierConfig, 'channels'> & { settings: Readonly<Record<string, string>> },
  ): string[] {
    const known = formOfCarrier(carrier).settings
    const isStored = ([name, text]: [string, string]) => {
      const setting = known.find((one) => one.name === name)
      return setting !== undefined && (textOf(carrier.config, setting) ?? '') === text.trim()
    }
    const isSame = channels.toSorted().join() === carrier.channels.toSorted().join()
    const differing = Object.entries(settings).filter((entry) => !isStored(entry))
    return [...(isSame ? [] : ['channels']), ...differing.map(([name]) => name)]
  },
  /** The type of a carrier, its settings but for the secrets, and which secrets are stored. */
  settingsOf(carrier: CarrierSetup): { type: ListedType; settings: Record<string, string>; secrets: string[] } {
    const type = formOfCarrier(carrier)
    const stored = type.settings.flatMap((setting) => {
      const text = textOf(carrier.config, setting)
      return text === undefined ? [] : [{ ...setting, text }]
    })
    return {
      type,
      settings: Object.fromEntries(stored.filter(({ secret }) => !secret).map(({ name, text }) => [name, text])),
      secrets: stored.filter(({ secret }) => secret).map(({ name }) => name),
    }
  },
}
