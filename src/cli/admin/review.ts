import { z } from 'zod'
import { REVIEW_DAILY_MAX, REVIEW_DAYS } from '../../domain/verification/review-number'
import * as administer from '../../usecases/administer'
import { iso, table } from '../output'
import { APP_ARGUMENT, adminCommand, group, positiveInteger } from './build'

const NAME_ARGUMENT = APP_ARGUMENT.extend({
  name: z.string().describe('<name>  what it is called, such as "App Store"'),
})

export const reviewCommands = () =>
  group(
    'review',
    'live numbers of reviewers, such as those of an app store: a fixed code and no message',
    'add app_4k2m9x0c7q1z "App Store" +821012345678',
    {
      add: adminCommand({
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
        run: async (admin, { appId, ...wanted }) => withTimes(await administer.addReviewNumber(admin, appId, wanted)),
        lines: ({ name, code, endsAt }) => [
          `${name} signs in with the code ${code} until ${endsAt}. No message is sent.`,
          'Proofs of it say `test: true`: allow them where your backend verifies proofs.',
        ],
      }),
      list: adminCommand({
        summary: 'list the review numbers of an app with their codes',
        examples: ['app_4k2m9x0c7q1z'],
        input: APP_ARGUMENT,
        run: async (admin, { appId }) => ({
          reviewNumbers: (await administer.listReviewNumbers(admin, appId)).map(withTimes),
        }),
        lines: ({ reviewNumbers }) =>
          table(
            ['NAME', 'CODE', 'A DAY', 'ENDS'],
            reviewNumbers.map(({ name, code, dailyMax, endsAt }) => [name, code, dailyMax, endsAt]),
            'No review numbers: every live number gets a message.',
          ),
      }),
      remove: adminCommand({
        summary: 'remove a review number: it gets messages again',
        examples: ['app_4k2m9x0c7q1z "App Store"'],
        input: NAME_ARGUMENT,
        run: async (admin, { appId, name }) => {
          await administer.removeReviewNumber(admin, appId, name)
          return { name, removed: true }
        },
        lines: ({ name }) => [`Removed the review number ${name}`],
      }),
    },
  )

const withTimes = ({ createdAt, endsAt, ...number }: administer.ShownReviewNumber) => ({
  ...number,
  createdAt: iso(createdAt) ?? '',
  endsAt: iso(endsAt) ?? '',
})
