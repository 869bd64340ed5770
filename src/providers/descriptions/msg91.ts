/**
 * MSG91, for India above all: it sends registered templates (flows) alone. The template code is the flow's ID, and its variables are
 * those of the message, ##code## among them. The flow has the IDs of the DLT. Reports come by the webhook of the account in version 3,
 * which is not signed.
 */
import type { DescriptionFile } from '../description'

export const msg91: DescriptionFile = {
  type: 'msg91',
  title: 'MSG91',
  documentation: 'https://control.msg91.com/apidoc/textsms/send-sms-flow.php',
  channels: ['sms'],
  fields: {
    authKey: { title: 'Auth key', secret: true, pattern: '^[\\x21-\\x7e]+$', says: 'must be an auth key' },
    from: { title: 'Sender ID', help: 'Without one, the sender ID of the flow.', optional: true },
    apiBase: { title: 'API base', url: true, default: 'https://control.msg91.com' },
  },
  auth: { type: 'header', name: 'authkey', value: '{{authKey}}' },
  send: {
    sms: {
      needs: [{ value: '{{templateCode}}', code: 'TEMPLATE_CODE_MISSING' }],
      request: {
        path: '/api/v5/flow/',
        json: {
          flow_id: '{{templateCode}}',
          sender: '{{from}}',
          short_url: '0',
          recipients: [{ mobiles: '{{toDigits}}', '...': '{{variables}}' }],
        },
      },
      accepted: [{ path: 'type', is: 'success' }],
      id: 'message',
      idPattern: '^[0-9A-Za-z]{16,40}$',
      // Not every error has a code; the type alone says that the message was turned down.
      codePath: ['code', 'apiError', 'type'],
      unlisted: [{ code: '^error$', means: 'elsewhere', only2xx: true }],
    },
  },
  codePattern: '^(\\d{3}|error)$',
  reports: {
    kinds: [
      {
        api: 'sms',
        id: 'requestId',
        result: {
          status: 'status',
          delivered: ['1'],
          failed: ['2', '9', '16', '17', '25'],
          failedCode: 'STATUS_{{status}}',
        },
      },
    ],
  },
  // The error codes of the API, and msg91.com/help/api. A code that is not listed and comes with a 2xx is ambiguous.
  codes: {
    TEMPLATE_CODE_MISSING: ['elsewhere', 'the template has no code of MSG91; give it the ID of the flow'],
    // The account.
    '105': ['unfit', 'MSG91 found no password; check the auth key'],
    '106': ['unfit', 'MSG91 found no auth key'],
    '207': ['unfit', 'MSG91 does not know the auth key'],
    '208': ['unfit', 'the address of this server is not on the allowlist of MSG91'],
    '301': ['unfit', 'the MSG91 account has no balance left'],
    '302': ['unfit', 'the MSG91 account has expired'],
    '303': ['unfit', 'the MSG91 account is banned'],
    '418': ['unfit', 'the address of this server is not on the allowlist of MSG91'],
    // How we are set up.
    '102': ['elsewhere', 'MSG91 found no text; check the flow'],
    '103': ['elsewhere', 'MSG91 found no sender ID; set `from`, or one in the flow'],
    '107': ['elsewhere', 'MSG91 found no route; check the flow'],
    '203': ['elsewhere', 'the sender ID is not valid; MSG91 takes six letters that are registered'],
    '306': ['elsewhere', 'the route is for promotions, which are sent from 9 to 21 only'],
    '307': ['elsewhere', 'MSG91 found the time of sending not valid'],
    '308': ['elsewhere', 'MSG91 found the name of the campaign too long'],
    '309': ['elsewhere', 'the group does not belong to the account'],
    '310': ['elsewhere', 'the text is too long'],
    // The recipient.
    '101': ['never', 'MSG91 found no recipient'],
    '202': ['never', 'the number is not valid'],
    // The network repeated the request, and the first one counted; or the same code was asked for twice.
    '311': ['ambiguous', 'the same request came twice within ten seconds; the first one was taken'],
  },
  // msg91.com/help/webhooks/how-can-i-get-the-delivery-reports-on-my-webhook-url
  reasons: {
    STATUS_2: 'the message was not delivered',
    STATUS_9: 'the number is on the list against promotions (NDNC); use a transactional flow',
    STATUS_16: 'the carrier rejected the message; check the DLT registration of the template',
    STATUS_17: 'the number is blocked',
    STATUS_25: 'the carrier rejected the message; check the DLT registration of the template',
    error: 'MSG91 refused the message and gave no code; see the failed logs of its panel',
  },
  explanations: [['^\\d{3}$', 'see this code in the error codes of MSG91']],
}
