/** `watchword app challenge`: the proof that an app asks for where a rule would refuse. */
import { readFileSync } from 'node:fs'
import { InvalidArgumentError, Option } from 'commander'
import { ON_OUTAGE, type ShownChallenge, VENDORS } from '../domain/challenge'
import * as administer from '../usecases/administer'
import { type CommonOptions, onData, removalCommand } from './command'
import { type Confirmable, confirm } from './confirm'
import { adminOf, type Opened } from './open'
import type { Output } from './output'

/** An option without a value is `true`: what it would name is taken away. */
interface ChallengeOptions extends CommonOptions, Confirmable {
  vendor?: ShownChallenge['vendor']
  secretFile?: string
  siteKey?: string | true
  onOutage?: ShownChallenge['onOutage']
  minScore?: number | true
  hostname?: string[] | true
  remove?: boolean
}

export const challengeCommand = () =>
  removalCommand(
    'challenge',
    'show or set the proof of a human that is asked for where a code would be refused for abuse',
    'app challenge app_4k2m9x0c7q1z --vendor turnstile --secret-file turnstile.secret --site-key 0x4AAAAAAA…',
    'app challenge app_4k2m9x0c7q1z --remove --yes',
  )
    .argument('<appId>', 'app')
    .addOption(new Option('--vendor <vendor>', 'whose widget the page shows').choices([...VENDORS]))
    .option('--secret-file <file>', 'file with the secret that the vendor gave you; - reads standard input')
    .option('--site-key [key]', 'the public key of the widget, kept for who writes the page; hCaptcha is told of it')
    .addOption(
      new Option('--on-outage <what>', 'what happens while the vendor does not answer (default: refuse)').choices([
        ...ON_OUTAGE,
      ]),
    )
    .option('--min-score [score]', 'reCAPTCHA, hCaptcha Enterprise: the least that passes, 0 to 1 for a human', score)
    .option('--hostname [name...]', 'where the widget may have been shown; without a name: anywhere')
    .option('--remove', 'ask for no proof any more')
    .action((appId: string, options: ChallengeOptions) =>
      onData(options, (opened, output) => (options.remove ? remove : show)(opened, output, appId, options)),
    )

function score(text: string): number {
  if (!/^(0|1|[01]?\.[0-9]{1,6})$/.test(text)) throw new InvalidArgumentError('must be a number from 0 to 1')
  return Number(text)
}

async function show(opened: Opened, output: Output, appId: string, options: ChallengeOptions): Promise<void> {
  const wanted = wantedOf(options)
  const challenge = wanted
    ? await administer.setChallenge(adminOf(opened), appId, wanted)
    : await administer.challengeOfApp(opened, appId)
  output({ appId, challenge: challenge ?? null }, linesOf(challenge))
}

async function remove(opened: Opened, output: Output, appId: string, options: ChallengeOptions): Promise<void> {
  const { name } = await administer.existingApp(opened, appId)
  await confirm(options, `Ask for no proof in the app ${name} (${appId}) any more? Its secret is forgotten.`)
  await administer.removeChallenge(adminOf(opened), appId)
  output({ appId, challenge: null }, linesOf(undefined))
}

/** Undefined where nothing is to be changed. */
function wantedOf(options: ChallengeOptions): administer.WantedChallenge | undefined {
  const { vendor, secretFile, siteKey, onOutage, minScore, hostname } = options
  const wanted: administer.WantedChallenge = {
    ...(vendor && { vendor }),
    ...(secretFile !== undefined && { secret: readFileSync(secretFile === '-' ? 0 : secretFile, 'utf8').trim() }),
    ...(siteKey !== undefined && { siteKey: siteKey === true ? undefined : siteKey }),
    ...(onOutage && { onOutage }),
    ...(minScore !== undefined && { minScore: minScore === true ? undefined : minScore }),
    ...(hostname && { hostnames: hostname === true ? undefined : hostname.map((name) => name.toLowerCase()) }),
  }
  return Object.keys(wanted).length > 0 ? wanted : undefined
}

function linesOf(challenge: ShownChallenge | undefined): string[] {
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
