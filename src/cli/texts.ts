/** `watchword app texts`: how an app's texts are written. */
import { Option } from 'commander'
import { type Texts, textsOf } from '../domain/texts'
import * as administer from '../usecases/administer'
import { type CommonOptions, onData, onDataCommand } from './command'
import { adminOf } from './open'

/** An option without a value is `true`: what it would name is taken away. */
interface TextsOptions extends CommonOptions {
  webOtpDomain?: string | true
  androidHash?: string | true
  localeByCountry?: 'on' | 'off'
}

export const textsCommand = () =>
  onDataCommand(
    'texts',
    'show or decide what fills a code in by itself, and whether the number’s country chooses the language',
    'app texts app_4k2m9x0c7q1z --web-otp-domain app.example.com --locale-by-country on',
  )
    .argument('<appId>', 'app')
    .option(
      '--web-otp-domain [host]',
      'the page that codes are typed into: browsers fill them in; without a host: none',
    )
    .option('--android-hash [hash]', 'the 11 characters by which Android knows your app; without a hash: none')
    .addOption(
      new Option(
        '--locale-by-country <state>',
        'whether an order without `locale` is in the language of its number',
      ).choices(['on', 'off']),
    )
    .action((appId: string, options: TextsOptions) =>
      onData(options, async (opened, output) => {
        const wanted = wantedOf(options)
        const app = wanted
          ? await administer.setTexts(adminOf(opened), appId, wanted)
          : await administer.existingApp(opened, appId)
        const texts = textsOf(app)
        output({ appId, texts }, linesOf(texts))
      }),
    )

/** Undefined where nothing is to be changed. */
function wantedOf({ webOtpDomain, androidHash, localeByCountry }: TextsOptions): administer.WantedTexts | undefined {
  const wanted: administer.WantedTexts = {
    ...(webOtpDomain !== undefined && { webOtpDomain: webOtpDomain === true ? null : webOtpDomain }),
    ...(androidHash !== undefined && { androidHash: androidHash === true ? null : androidHash }),
    ...(localeByCountry !== undefined && { localeByCountry: localeByCountry === 'on' }),
  }
  return Object.keys(wanted).length > 0 ? wanted : undefined
}

const linesOf = ({ webOtpDomain, androidHash, localeByCountry }: Texts): string[] => [
  webOtpDomain === undefined
    ? 'No browser is told of codes.'
    : `An SMS ends with @${webOtpDomain} and the code: browsers fill it in there.`,
  androidHash === undefined
    ? 'No Android app is handed codes.'
    : `An SMS has ${androidHash}: Android hands it to that app.`,
  localeByCountry
    ? 'Without `locale` a text is in the language of its number’s country, where the template has it.'
    : 'Without `locale` a text is in the template’s own language.',
]
