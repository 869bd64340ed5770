import { z } from 'zod'
import { apps } from '../../admin/contract/apps'
import { everyApp } from '../../admin/every-app'
import type { Texts } from '../../domain/message/rendered-message'
import { table } from '../output'
import { APP_ARGUMENT, clientCommand, flag, group, inputOf, NO_INPUT, positiveInteger, textOrNone } from './build'
import { challenge } from './challenge'
import { block, protect, unblock, unlock } from './protect'
import { twilio } from './twilio'

const onOrOff = z.enum(['on', 'off']).optional()

export const appCommands = () =>
  group('app', 'apps, which own keys, a wallet and issues', 'create shop', {
    create: clientCommand({
      summary: 'create an app',
      examples: ['shop'],
      input: inputOf(apps.create),
      help: {
        name: '<name>  what people call it',
        region: '--region <country>  region for national phone formats (default: WATCHWORD_DEFAULT_REGION)',
      },
      createsDatabase: true,
      run: (client, wanted) => client.apps.create(wanted),
      json: ({ appId, organizationId, name, region }) => ({ appId, organizationId, name, region }),
      lines: ({ appId, name }) => [`Created app ${appId} (${name})`],
    }),
    list: clientCommand({
      summary: 'list apps',
      ...NO_INPUT,
      run: async (client) => {
        const rows = (await everyApp(client)).apps.map(async ({ appId, organizationId, name, region }) => {
          const { balance, reserved } = await client.wallet.show({ appId })
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
    rename: clientCommand({
      summary: 'rename an app; its id stays',
      examples: ['app_4k2m9x0c7q1z "Web shop"'],
      input: inputOf(apps.rename),
      help: { appId: '<appId>  app', name: '<name>  what people call it from now on' },
      run: (client, wanted) => client.apps.rename(wanted),
      json: ({ appId, name }) => ({ appId, name }),
      lines: ({ appId, name }) => [`${appId} is now called ${name}`],
    }),
    region: clientCommand({
      summary: 'set the region for phone numbers without a country code; none: the server’s default',
      examples: ['app_4k2m9x0c7q1z US'],
      input: inputOf(apps.setRegion),
      help: { appId: '<appId>  app', region: '[country]  ISO 3166 code such as KR' },
      run: async (client, { appId, region }) => {
        await client.apps.setRegion({ appId, region })
        return { appId, region, byDefault: (await client.apps.list({ limit: 1 })).defaultRegion }
      },
      json: ({ appId, region }) => ({ appId, region: region ?? null }),
      lines: ({ appId, region, byDefault }) => [
        `${appId} reads numbers without a country as of ${region ?? `the server's default, ${byDefault}`}`,
      ],
    }),
    texts: clientCommand({
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
      run: async (client, { appId, webOtpDomain, androidHash, localeByCountry }) => {
        const wanted = {
          ...(webOtpDomain !== undefined && { webOtpDomain: webOtpDomain === true ? null : webOtpDomain }),
          ...(androidHash !== undefined && { androidHash: androidHash === true ? null : androidHash }),
          ...(localeByCountry !== undefined && { localeByCountry: localeByCountry === 'on' }),
        }
        const isChange = Object.keys(wanted).length > 0
        const { texts } = await (isChange
          ? client.apps.setTexts({ appId, texts: wanted })
          : client.apps.show({ appId }))
        return { appId, texts }
      },
      lines: ({ texts }) => textLines(texts),
    }),
    proofs: clientCommand({
      summary:
        'show or change whether verification proofs include the metadata of the issue, which a browser can then read',
      examples: ['app_4k2m9x0c7q1z --metadata on'],
      input: APP_ARGUMENT.extend({
        metadata: onOrOff.describe('--metadata <state>  whether proofs include the metadata'),
      }),
      run: async (client, { appId, metadata }) => {
        const { provesMetadata } = metadata
          ? await client.apps.setProvesMetadata({ appId, provesMetadata: metadata === 'on' })
          : await client.apps.show({ appId })
        return { appId, metadata: provesMetadata }
      },
      lines: ({ metadata }) => [
        metadata ? 'Proofs say what the metadata of their issue is.' : 'Proofs say nothing of metadata.',
      ],
    }),
    retention: clientCommand({
      summary: 'show or change the retention of live issues, with their attempts and webhook events',
      examples: ['app_4k2m9x0c7q1z --days 30'],
      input: APP_ARGUMENT.extend({
        days: positiveInteger.optional().describe('number of days'),
        asServer: flag('use WATCHWORD_LIVE_RETENTION_DAYS'),
      }),
      conflicts: { asServer: ['days'] },
      run: async (client, { appId, days, asServer }) => {
        const { retentionDays } =
          days !== undefined || asServer
            ? await client.apps.setRetention({ appId, retentionDays: days })
            : await client.apps.show({ appId })
        const { liveRetentionDays } = await client.apps.list({ limit: 1 })
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
    remove: clientCommand({
      summary: 'end an app: its keys and webhooks stop, its ledger stays',
      examples: ['app_4k2m9x0c7q1z --yes'],
      input: APP_ARGUMENT,
      confirmation: async (client, { appId }) => {
        const { name } = await client.apps.show({ appId })
        const { keys } = await client.keys.list({ appId })
        const active = keys.filter(({ revokedAt }) => revokedAt === undefined).length
        const webhooks = (await client.webhooks.list({ appId })).endpoints.length
        const credit = (await client.wallet.show({ appId })).balance
        const goes = `${active} keys stop working, ${webhooks} webhooks are removed, ${credit} CREDIT is left unused.`
        return `Remove the app ${name} (${appId})? ${goes}`
      },
      run: async (client, { appId }) => {
        const { name } = await client.apps.show({ appId })
        return { name, ...(await client.apps.remove({ appId })) }
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
