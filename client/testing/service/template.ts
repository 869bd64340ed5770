/** A template as callers see it, and as the rules have it. */
import { assertTemplate, type Template as Rules } from '../../../src/domain/template'
import type { Template } from '../../types'

/** As an operator would register it; throws a refusal for one that is none. */
export function registered({ templateId, name, channelSupport, body, variables }: Template): Rules {
  const properties = Object.entries(variables.properties).map(([variable, { pattern, description }]) => {
    const said = { ...(pattern !== undefined && { pattern }), ...(description !== undefined && { description }) }
    return [variable, { ...said, required: variables.required.includes(variable) }] as const
  })
  const template = {
    ...{ templateId, name, channelSupport, body, providerTemplateCode: templateId },
    variables: Object.fromEntries(properties),
  }
  assertTemplate(template)
  return template
}
