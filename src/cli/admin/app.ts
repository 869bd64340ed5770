import { z } from 'zod'
import { apps } from '../../admin/contract/apps'
import { type Texts, textsOf } from '../../domain/message/rendered-message'
import * as administer from '../../usecases/administer'
import { table } from '../output'
import { APP_ARGUMENT, adminCommand, flag, group, inputOf, NO_INPUT, positiveInteger, textOrNone } from './build'
import { challenge } from './challenge'
import { block, protect, unblock, unlock } from './protect'
import { twilio } from './twilio'

const onOrOff = z.enum(['on', 'off']).optional()

export const appCommands = () =>
  group('app', 'apps, which own keys, a wallet and issues', 'create shop', {
    create: adminCommand({
      summary: 'create an app',
      examples: ['shop'],
      input: inputOf(apps.create),
      help: {
        name: '<name>  what people call it',
        region: '--region <country>  region for national phone formats (default: WATCHWORD_DEFAULT_REGION)',
      },
      createsDatabase: true,
      run: administer.createApp,
      json: ({ appId, organizationId, name, region }) => ({ appId, organizationId, name, region }),
      lines: ({ appId, name }) => [`Created app ${appId} (${name})`],
    }),
    list: adminCommand({
      summary: 'list apps',
      ...NO_INPUT,
      run: async ({ store }) => {
        const rows = (await store.read.apps.all()).map(async ({ appId, organizationId, name, region }) => {
          const { balance = 0, reserved = 0 } = (await store.read.wallets.find(appId)) ?? {}
          return { appId, organizationId, name, region, balance, reserved }
        })
        return { apps: await Promise.all(rows) }
      },
      lines: ({ apps }) =>
        table(
          ['APP', 'NAME', 'REGION', 'BALANCE', 'RESERVED'],
          apps.map(({ appId, name, region = '', balance, reserved }) => [appId, name, region, balance, reserved]),
          'No apps yet. `watchword app create NAME` creates one.',
        ),
    }),
    rename: adminCommand({
      summary: 'rename an app; its id stays',
      examples: ['app_4k2m9x0c7q1z "Web shop"'],
      input: inputOf(apps.rename),
      help: { appId: '<appId>  app', name: '<name>  what people call it from now on' },
      run: (admin, { appId, name }) => administer.renameApp(admin, appId, name),
      json: ({ appId, name }) => ({ appId, name }),
      lines: ({ appId, name }) => [`${appId} is now called ${name}`],
    }),
    region: adminCommand({
      summary: 'set the region for phone numbers without a country code; none: the server’s default',
      examples: ['app_4k2m9x0c7q1z US'],
      input: inputOf(apps.setRegion),
      help: { appId: '<appId>  app', region: '[country]  ISO 3166 code such as KR' },
      run: (admin, { appId, region }) => administer.setRegion(admin, appId, region),
      json: ({ appId, region }) => ({ appId, region: region ?? null }),
      lines: ({ appId, region }, _, { numbering }) => [
        `${appId} reads numbers without a country as of ${region ?? `the server's default, ${numbering.region}`}`,
      ],
    }),
    texts: adminCommand({
      summary: 'show or change the autofill of codes, and whether the number’s country chooses the language',
      examples: ['app_4k2m9x0c7q1z --web-otp-domain app.example.com --locale-by-country on'],
      input: APP_ARGUMENT.extend({
        webOtpDomain: textOrNone(
          '--web-otp-domain [host]  domain of the page that verifies: browsers autofill codes there; without a host: none',
        ),
        androidHash: textOrNone(
          '--android-hash [hash]  the 11 characters by which Android knows your app; without a hash: none',
        ),
        localeByCountry: onOrOff.describe(
          '--locale-by-country <state>  whether a request without `locale` uses the language of its number',
        ),
      }),
      run: async (admin, { appId, webOtpDomain, androidHash, localeByCountry }) => {
        const wanted: administer.WantedTexts = {
          ...(webOtpDomain !== undefined && { webOtpDomain: webOtpDomain === true ? null : webOtpDomain }),
          ...(androidHash !== undefined && { androidHash: androidHash === true ? null : androidHash }),
          ...(localeByCountry !== undefined && { localeByCountry: localeByCountry === 'on' }),
        }
        const isChange = Object.keys(wanted).length > 0
        const app = await (isChange ? administer.setTexts(admin, appId, wanted) : administer.existingApp(admin, appId))
        return { appId, texts: textsOf(app) }
      },
      lines: ({ texts }) => textLines(texts),
    }),
    proofs: adminCommand({
      summary:
        'show or change whether verification proofs include the metadata of the issue, which a browser can then read',
      examples: ['app_4k2m9x0c7q1z --metadata on'],
      input: APP_ARGUMENT.extend({
        metadata: onOrOff.describe('--metadata <state>  whether proofs include the metadata'),
      }),
      run: async (admin, { appId, metadata }) => {
        const { provesMetadata = false } = metadata
          ? await administer.setProvesMetadata(admin, appId, metadata === 'on')
          : await administer.existingApp(admin, appId)
        return { appId, metadata: provesMetadata }
      },
      lines: ({ metadata }) => [
        metadata ? 'Proofs say what the metadata of their issue is.' : 'Proofs say nothing of metadata.',
      ],
    }),
    retention: adminCommand({
      summary: 'show or change the retention of live issues, with their attempts and webhook events',
      examples: ['app_4k2m9x0c7q1z --days 30'],
      input: APP_ARGUMENT.extend({
        days: positiveInteger.optional().describe('number of days'),
        asServer: flag('use WATCHWORD_LIVE_RETENTION_DAYS'),
      }),
      conflicts: { asServer: ['days'] },
      run: async (admin, { appId, days, asServer }) => {
        const { retentionDays } =
          days !== undefined || asServer
            ? await administer.setRetention(admin, appId, days)
            : await administer.existingApp(admin, appId)
        const { liveRetentionDays } = admin.config
        return { appId, days: retentionDays ?? liveRetentionDays, own: retentionDays !== undefined }
      },
      lines: ({ days, own }) => [`Live issues are kept for ${days} days${own ? '' : ', as the server is set'}.`],
    }),
    twilio,
    protect,
    challenge,
    unlock,
    block,
    unblock,
    remove: adminCommand({
      summary: 'end an app: its keys and webhooks stop, its ledger stays',
      examples: ['app_4k2m9x0c7q1z --yes'],
      input: APP_ARGUMENT,
      confirmation: async (admin, { appId }) => {
        const { keys, endpoints, wallets } = admin.store.read
        const { name } = await administer.existingApp(admin, appId)
        const active = (await keys.ofApp(appId)).filter(({ revokedAt }) => revokedAt === undefined).length
        const webhooks = (await endpoints.ofApp(appId)).length
        const credit = (await wallets.find(appId))?.balance ?? 0
        const goes = `${active} keys stop working, ${webhooks} webhooks are removed, ${credit} CREDIT is left unused.`
        return `Remove the app ${name} (${appId})? ${goes}`
      },
      run: async (admin, { appId }) => {
        const { name } = await administer.existingApp(admin, appId)
        return { name, ...(await administer.removeApp(admin, appId)) }
      },
      json: ({ revokedKeys, removedWebhooks, balance }, { appId }) => ({
        ...{ appId, removed: true, revokedKeys, removedWebhooks, balance },
      }),
      lines: ({ name, revokedKeys, removedWebhooks, balance }, { appId }) => [
        `Removed app ${appId} (${name}): ${revokedKeys} keys revoked, ${removedWebhooks} webhooks removed.`,
        `What is under way is still delivered and billed. Its ledger stays; ${balance} CREDIT was left.`,
      ],
    }),
  })

const textLines = ({ webOtpDomain, androidHash, localeByCountry }: Texts): string[] => [
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
