/** `watchword app challenge` sets the challenge that an app offers instead of a refusal. */
import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import type { z } from 'zod'
import type { ShownChallenge } from '../../abuse/rules/challenge'
import { apps } from '../../admin/contract/apps'
import * as administer from '../../usecases/administer'
import { APP_ARGUMENT, adminCommand, flag, inputOf, parsedBy, text, textOrNone, textsOrNone } from './build'

const { vendor, onOutage } = inputOf(apps.setChallenge).partial().shape

const input = APP_ARGUMENT.extend({
  vendor: vendor.describe('vendor of the CAPTCHA widget'),
  secretFile: text('--secret-file <file>  file with the secret that the vendor gave you; - reads standard input'),
  siteKey: textOrNone(
    '--site-key [key]  public key of the widget, stored for the author of the page and sent to hCaptcha',
  ),
  onOutage: onOutage.describe('--on-outage <what>  what happens while the vendor is unavailable (default: refuse)'),
  minScore: parsedBy<number | true>(score)
    .optional()
    .describe('--min-score [score]  reCAPTCHA, hCaptcha Enterprise: minimum that passes, 0 to 1 for a human'),
  hostnames: textsOrNone('--hostname [name...]  host names that may show the widget; without a name: any'),
  remove: flag('remove the challenge'),
})

function score(text: string): number {
  if (!/^(0|1|[01]?\.[0-9]{1,6})$/.test(text)) throw new InvalidArgumentError('must be a number from 0 to 1')
  return Number(text)
}

export const challenge = adminCommand({
  summary: 'show or set the CAPTCHA challenge that is offered before a code is refused for abuse',
  examples: [
    'app_4k2m9x0c7q1z --vendor turnstile --secret-file turnstile.secret --site-key 0x4AAAAAAA…',
    'app_4k2m9x0c7q1z --remove --yes',
  ],
  input,
  confirmation: async (admin, { appId, remove }) => {
    if (!remove) return undefined
    const { name } = await administer.existingApp(admin, appId)
    return `Ask for no proof in the app ${name} (${appId}) any more? Its secret is forgotten.`
  },
  run: async (admin, { appId, remove, ...typed }) => {
    if (remove) await administer.removeChallenge(admin, appId)
    const wanted = remove ? undefined : wantedOf(typed)
    const challenge = wanted
      ? await administer.setChallenge(admin, appId, wanted)
      : !remove && (await administer.challengeOfApp(admin, appId))
    return { appId, challenge: challenge || null }
  },
  lines: ({ challenge }) => linesOf(challenge),
})

/** Undefined if nothing changes. */
function wantedOf(typed: Omit<z.infer<typeof input>, 'appId'>): administer.WantedChallenge | undefined {
  const { vendor, secretFile, siteKey, onOutage, minScore, hostnames } = typed
  const wanted: administer.WantedChallenge = {
    ...(vendor && { vendor }),
    ...(secretFile !== undefined && { secret: readFileSync(secretFile === '-' ? 0 : secretFile, 'utf8').trim() }),
    ...(siteKey !== undefined && { siteKey: siteKey === true ? undefined : siteKey }),
    ...(onOutage && { onOutage }),
    ...(minScore !== undefined && { minScore: minScore === true ? undefined : minScore }),
    ...(hostnames && { hostnames: hostnames === true ? undefined : hostnames.map((name) => name.toLowerCase()) }),
  }
  return Object.keys(wanted).length > 0 ? wanted : undefined
}

function linesOf(challenge: ShownChallenge | null): string[] {
  if (!challenge) return ['No proof is asked for: what looks like abuse is refused.']
  const { vendor, siteKey, onOutage, minScore, hostnames } = challenge
  return [
    `Where a code would be refused for abuse, a proof of ${vendor} is asked for.`,
    ...(siteKey === undefined ? [] : [`Site key: ${siteKey}`]),
    ...(minScore === undefined ? [] : [`Least score: ${minScore}`]),
    ...(hostnames ? [`Shown at: ${hostnames.join(', ')}`] : []),
    `While the vendor does not answer, the code ${onOutage === 'pass' ? 'is sent' : 'stays refused'}.`,
  ]
}
