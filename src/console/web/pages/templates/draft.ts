/** A template while it is edited, and its form for the server. */
import { placeholdersOf } from '../../../../domain/message/template'
import type { client } from '../../api'

export type DraftTemplate = Parameters<typeof client.templates.preview>[0]['template']
type Dlt = DraftTemplate['dlt']
type DraftChannel = DraftTemplate['channelSupport'][number]

export interface VariableDraft {
  required: boolean
  pattern: string
  description: string
  /** Sample value in the preview; by default the name. */
  sample: string
}

/** Ids of India's DLT; '' for none. */
export interface DltDraft {
  dltEntityId: string
  dltTemplateId: string
}

export interface TranslationDraft extends DltDraft {
  /** Language tag. */
  tag: string
  body: string
  providerTemplateCode: string
}

export interface TemplateDraft extends DltDraft {
  templateId: string
  name: string
  body: string
  /** Language tag of the text; '' if unknown. */
  locale: string
  translations: readonly TranslationDraft[]
  channelSupport: DraftChannel[]
  providerTemplateCode: string
  /** Keeps variables whose placeholder was removed, so that their input returns with it. */
  variables: Readonly<Record<string, VariableDraft>>
}

export const NO_DLT: DltDraft = { dltEntityId: '', dltTemplateId: '' }

const NEW_BODY = '[Watchword] #{code}'

export const newDraft = (): TemplateDraft => ({
  templateId: '',
  name: '',
  body: NEW_BODY,
  locale: '',
  translations: [],
  channelSupport: ['sms'],
  providerTemplateCode: '',
  ...NO_DLT,
  variables: {},
})

const dltDraftOf = ({ entityId = '', templateId = '' }: Dlt = {}): DltDraft => ({
  dltEntityId: entityId,
  dltTemplateId: templateId,
})

export const draftOf = ({ bodies, dlt, ...template }: DraftTemplate): TemplateDraft => ({
  ...template,
  ...dltDraftOf(dlt),
  locale: template.locale ?? '',
  translations: Object.entries(bodies).map(([tag, { body, providerTemplateCode = '', dlt }]) => ({
    ...{ tag, body, providerTemplateCode },
    ...dltDraftOf(dlt),
  })),
  channelSupport: [...template.channelSupport],
  variables: Object.fromEntries(
    Object.entries(template.variables).map(([name, { required, pattern = '', description = '' }]) => [
      name,
      { required, pattern, description, sample: name },
    ]),
  ),
})

export const variableOf = ({ variables }: TemplateDraft, name: string): VariableDraft =>
  (Object.hasOwn(variables, name) ? variables[name] : undefined) ?? {
    required: true,
    pattern: '',
    description: '',
    sample: name,
  }

/** Placeholders of the text except the code. */
export const variableNames = ({ body }: TemplateDraft): string[] =>
  placeholdersOf(body).filter((name) => name !== 'code' && name !== '')

export function templateOf(draft: TemplateDraft): DraftTemplate {
  const { templateId, name, body, locale, translations, channelSupport, providerTemplateCode } = draft
  return {
    templateId: templateId.trim(),
    name: name.trim(),
    body,
    ...(locale && { locale }),
    bodies: Object.fromEntries(translations.map(({ tag, ...translation }) => [tag, translationOf(translation)])),
    channelSupport,
    providerTemplateCode: providerTemplateCode.trim() || templateId.trim(),
    ...dltOf(draft),
    variables: Object.fromEntries(
      variableNames(draft).map((name) => {
        const { required, pattern, description } = variableOf(draft, name)
        return [name, { required, ...(pattern && { pattern }), ...(description && { description }) }]
      }),
    ),
  }
}

/** Template code at the AlimTalk provider for a language. */
export const codeIn = ({ translations, providerTemplateCode, templateId }: TemplateDraft, tag: string): string =>
  [translations.find((translation) => translation.tag === tag)?.providerTemplateCode, providerTemplateCode, templateId]
    .map((code) => code?.trim())
    .find((code) => code) ?? ''

const translationOf = ({ body, providerTemplateCode, ...ids }: Omit<TranslationDraft, 'tag'>) => ({
  body,
  ...(providerTemplateCode.trim() && { providerTemplateCode: providerTemplateCode.trim() }),
  ...dltOf(ids),
})

function dltOf({ dltEntityId, dltTemplateId }: DltDraft): { dlt?: Dlt } {
  const [entityId, templateId] = [dltEntityId.trim(), dltTemplateId.trim()]
  return entityId || templateId ? { dlt: { ...(entityId && { entityId }), ...(templateId && { templateId }) } } : {}
}

export const samplesOf = (draft: TemplateDraft): Record<string, string> =>
  Object.fromEntries(
    variableNames(draft).flatMap((name) => {
      const { sample } = variableOf(draft, name)
      return sample === '' ? [] : [[name, sample]]
    }),
  )
