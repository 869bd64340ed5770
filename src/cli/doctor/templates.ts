/** Templates whose patterns were stored before they had to take linear time. */
import { isLinear } from '../../domain/pattern'
import { type Check, findings } from './finding'

export const checkTemplates: Check = async ({ store: { read } }) => {
  const apps = await read.apps.all()
  const wrong = await Promise.all(
    apps.map(async ({ appId }) =>
      (await read.templates.ofApp(appId)).flatMap(({ templateId, variables }) =>
        Object.entries(variables)
          .filter(([, { pattern }]) => pattern !== undefined && !isLinear(pattern))
          .map(([name]) => ({
            state: 'warn' as const,
            message: `The pattern of "${name}" in template ${templateId} of ${appId} may take for ever; values are looked at for some thousand steps only.`,
            advice: 'Save the template with a pattern without lookaround and backreferences.',
          })),
      ),
    ),
  )
  return findings('templates', wrong.flat(), 'Every pattern is matched in linear time.')
}
