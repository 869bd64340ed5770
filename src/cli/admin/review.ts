import { z } from 'zod'
import { REVIEW_DAILY_MAX, REVIEW_DAYS } from '../../domain/verification/review-number'
import { iso, table } from '../output'
import { APP_ARGUMENT, clientCommand, group, positiveInteger } from './build'

const NAME_ARGUMENT = APP_ARGUMENT.extend({
  name: z.string().describe('<name>  what it is called, such as "App Store"'),
})

export const reviewCommands = () =>
  group(
    'review',
    'live numbers of reviewers, such as those of an app store: a fixed code and no message',
    'add app_4k2m9x0c7q1z "App Store" +821012345678',
    {
      add: clientCommand({
        summary: 'add a review number and show its code; one of the same name is replaced',
        examples: ['app_4k2m9x0c7q1z "App Store" +821012345678 --days 30 --daily 20'],
        input: NAME_ARGUMENT.extend({
          phoneNumber: z.string().describe('<number>  its phone number, which is stored as a keyed hash only'),
          days: positiveInteger
            .default(30)
            .describe(`number of days until it ends (${REVIEW_DAYS.min} to ${REVIEW_DAYS.max})`),
          dailyMax: positiveInteger
            .default(20)
            .describe(`--daily <n>  codes in 24 hours (${REVIEW_DAILY_MAX.min} to ${REVIEW_DAILY_MAX.max})`),
        }),
        run: async (client, wanted) => withTimes(await client.apps.addReviewNumber(wanted)),
        lines: ({ name, code, endsAt }) => [
          `${name} signs in with the code ${code} until ${endsAt}. No message is sent.`,
          'Proofs of it say `test: true`: allow them where your backend verifies proofs.',
        ],
      }),
      list: clientCommand({
        summary: 'list the review numbers of an app with their codes',
        examples: ['app_4k2m9x0c7q1z'],
        input: APP_ARGUMENT,
        run: async (client, { appId }) => ({
          reviewNumbers: (await client.apps.reviewNumbers({ appId })).reviewNumbers.map(withTimes),
        }),
        lines: ({ reviewNumbers }) =>
          table(
            ['NAME', 'CODE', 'A DAY', 'ENDS'],
            reviewNumbers.map(({ name, code, dailyMax, endsAt }) => [name, code, dailyMax, endsAt]),
            'No review numbers: every live number gets a message.',
          ),
      }),
      remove: clientCommand({
        summary: 'remove a review number: it gets messages again',
        examples: ['app_4k2m9x0c7q1z "App Store"'],
        input: NAME_ARGUMENT,
        run: async (client, { appId, name }) => {
          await client.apps.removeReviewNumber({ appId, name })
          return { name, removed: true }
        },
        lines: ({ name }) => [`Removed the review number ${name}`],
      }),
    },
  )

const withTimes = <Shown extends { createdAt: number; endsAt: number }>({ createdAt, endsAt, ...number }: Shown) => ({
  ...number,
  createdAt: iso(createdAt) ?? '',
  endsAt: iso(endsAt) ?? '',
})
