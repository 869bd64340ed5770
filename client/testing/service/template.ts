/** A template as callers see it, and as the rules have it. */
import { assertTemplate, type Template as Rules } from '../../../src/domain/message/template'
import type { TestTemplate } from '../said'

/** As an operator would register it; throws a refusal for one that is none. */
export function registered({ variables, ...said }: TestTemplate): Rules {
  const properties = Object.entries(variables.properties).map(([variable, { pattern, description }]) => {
    const rule = { ...(pattern !== undefined && { pattern }), ...(description !== undefined && { description }) }
    return [variable, { ...rule, required: variables.required.includes(variable) }] as const
  })
  const template = {
    ...{ ...said, providerTemplateCode: said.templateId },
    variables: Object.fromEntries(properties),
  }
  assertTemplate(template)
  return template
}
