/** Africa's Talking SMS. Its callback URL is set up in the dashboard, and reports are not signed. */
import type { DescriptionFile } from '../description'

export const africastalking: DescriptionFile = {
  type: 'africastalking',
  title: "Africa's Talking",
  documentation: 'https://developers.africastalking.com/docs/sms/sending/bulk',
  channels: ['sms'],
  fields: {
    username: { title: 'Username', help: 'Of the application; `sandbox` with the API base of the sandbox.' },
    apiKey: {
      title: 'API key',
      secret: true,
      pattern: '^[\\x21-\\x7e]+$',
      says: 'must be the API key of the application',
    },
    from: { title: 'Sender', help: 'A short code or name that is registered; otherwise AFRICASTKNG.', optional: true },
    apiBase: {
      title: 'API base',
      help: 'The sandbox is https://api.sandbox.africastalking.com.',
      url: true,
      default: 'https://api.africastalking.com',
    },
  },
  auth: { type: 'header', name: 'apiKey', value: '{{apiKey}}' },
  send: {
    sms: {
      request: {
        path: '/version1/messaging',
        form: { username: '{{username}}', to: '{{to}}', message: '{{text}}', from: '{{from}}' },
      },
      // Processed, sent and queued.
      accepted: [{ path: 'SMSMessageData.Recipients.0.statusCode', is: ['100', '101', '102'] }],
      id: 'SMSMessageData.Recipients.0.messageId',
      idPattern: '^ATXid_[0-9A-Za-z]{1,64}$',
      // Without a recipient, its message is the name of what is wrong.
      codePath: ['SMSMessageData.Recipients.0.statusCode', 'SMSMessageData.Message'],
      noCode: ['100', '101', '102'],
    },
  },
  codePattern: '^(\\d{3}|[A-Z][A-Za-z]{2,39})$',
  reports: {
    isForm: true,
    kinds: [
      {
        api: 'sms',
        id: 'id',
        result: {
          status: 'status',
          code: 'failureReason',
          delivered: ['Success'],
          failed: ['Rejected', 'Failed', 'AbsentSubscriber', 'Expired'],
          failedCode: '{{status}}',
        },
      },
    ],
  },
  // developers.africastalking.com/docs/sms/sending/bulk
  codes: {
    // The message is held, and it is not known whether it is sent later.
    '401': ['ambiguous', "Africa's Talking holds the message as a risk; it may be out"],
    '402': ['elsewhere', 'the sender is not registered; check `from`'],
    '403': ['never', 'the recipient is no valid number'],
    '404': ['elsewhere', 'the number is of a type that is not reached'],
    '405': ['unfit', "the Africa's Talking account has no balance left; top it up"],
    '406': ['stopped', 'the recipient has opted out of messages from this sender; tell them to opt in again'],
    '407': ['elsewhere', "Africa's Talking has no route to this number"],
    '409': ['elsewhere', 'the recipient takes no such messages (do not disturb); use a transactional sender'],
    '500': ['ambiguous', "Africa's Talking failed while it had the message; it may be out"],
    '501': ['ambiguous', 'the gateway of the operator failed; the message may be out'],
    '502': ['elsewhere', 'the gateway of the operator refused the message'],
    InvalidSenderId: ['elsewhere', 'the sender is not registered; check `from`'],
    HTTP_401: ['unfit', "Africa's Talking refused our credentials; check username and API key"],
  },
  reasons: {
    InsufficientCredit: 'the recipient has no airtime for such messages',
    InvalidLinkId: 'the message had the wrong link of a premium service',
    UserIsInactive: 'the number is inactive, or deactivated by its operator',
    UserInBlackList: 'the recipient takes no messages from this sender',
    UserAccountSuspended: 'the operator has suspended the number',
    NotNetworkSubcriber: 'the number does not belong to the operator that got the message',
    UserNotSubscribedToProduct: 'the recipient has not subscribed to the product',
    UserDoesNotExist: 'the number does not exist',
    DeliveryFailure: 'the message was not delivered; the operator gave no reason',
    DoNotDisturbRejection: 'the recipient takes no such messages (do not disturb)',
    AbsentSubscriber: 'the phone was unreachable: switched off, or out of coverage',
    Expired: 'the operator discarded the message for its text or sender',
    Rejected: 'the operator refused the message without a reason',
    Failed: "the message was not delivered; Africa's Talking gave no reason",
  },
  explanations: [['^(\\d{3}|[A-Z][A-Za-z]{2,39})$', "see this in the SMS documentation of Africa's Talking"]],
}
