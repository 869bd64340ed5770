/** A template while it is edited, and what the server is told of it. */
import { placeholdersOf } from '../../../../domain/template'
import type { client } from '../../api'

export type Template = Parameters<typeof client.templates.save>[0]['template']
type Channel = Template['channelSupport'][number]

export interface VariableDraft {
  required: boolean
  pattern: string
  description: string
  /** What the preview shows for it; the name itself until something else is typed. */
  sample: string
}

export interface TemplateDraft {
  templateId: string
  name: string
  body: string
  channelSupport: Channel[]
  providerTemplateCode: string
  /** Also of placeholders that have left the text: what was typed comes back with them. */
  variables: Readonly<Record<string, VariableDraft>>
}

const NEW_BODY = '[Watchword] #{code}'

export const newDraft = (): TemplateDraft => ({
  templateId: '',
  name: '',
  body: NEW_BODY,
  channelSupport: ['sms'],
  providerTemplateCode: '',
  variables: {},
})

export const draftOf = (template: Template): TemplateDraft => ({
  ...template,
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

/** What the text has placeholders for, beside the code. */
export const variableNames = ({ body }: TemplateDraft): string[] =>
  placeholdersOf(body).filter((name) => name !== 'code' && name !== '')

export function templateOf(draft: TemplateDraft): Template {
  const { templateId, name, body, channelSupport, providerTemplateCode } = draft
  return {
    templateId: templateId.trim(),
    name: name.trim(),
    body,
    channelSupport,
    providerTemplateCode: providerTemplateCode.trim() || templateId.trim(),
    variables: Object.fromEntries(
      variableNames(draft).map((name) => {
        const { required, pattern, description } = variableOf(draft, name)
        return [name, { required, ...(pattern && { pattern }), ...(description && { description }) }]
      }),
    ),
  }
}

export const samplesOf = (draft: TemplateDraft): Record<string, string> =>
  Object.fromEntries(
    variableNames(draft).flatMap((name) => {
      const { sample } = variableOf(draft, name)
      return sample === '' ? [] : [[name, sample]]
    }),
  )
