import { twilioSettings } from '../../http/compat/twilio-answer'
import * as administer from '../../usecases/administer'
import { table } from '../output'
import { APP_ARGUMENT, adminCommand, text } from './build'

export const twilio = adminCommand({
  summary: 'show what clients of Twilio Verify need: base URL, account SID, and the service SID of each purpose',
  examples: ['app_4k2m9x0c7q1z --purpose signup'],
  input: APP_ARGUMENT.extend({
    purpose: text('--purpose <purpose>  purpose that these clients may name from now on'),
  }),
  run: async (admin, { appId, purpose }) => {
    const app = await (purpose === undefined
      ? administer.existingApp(admin, appId)
      : administer.addTwilioPurpose(admin, appId, purpose))
    const { config } = admin
    return twilioSettings(app, config.publicUrl ?? `http://127.0.0.1:${config.port}`)
  },
  lines: ({ baseUrl, accountSid, services }) => [
    `Base URL     ${baseUrl}`,
    `Account SID  ${accountSid}`,
    'Auth token   a secret key of the app, with the scopes otp:issue, otp:verify and otp:status',
    ...table(
      ['PURPOSE', 'SERVICE SID'],
      services.map(({ purpose, serviceSid }) => [purpose, serviceSid]),
      'No services yet. `--purpose signup` makes one.',
    ),
  ],
})
