/**
 * AWS End User Messaging (pinpoint-sms-voice-v2): SMS to most countries. Reports come by a configuration set whose event destination
 * is an SNS topic; the topic calls the report URL over HTTPS, without raw message delivery.
 */
import type { DescriptionFile } from '../description'
import { awsFields, signedByAws } from './aws-account'

export const awsSms: DescriptionFile = {
  type: 'aws-sms',
  title: 'AWS End User Messaging',
  documentation: 'https://docs.aws.amazon.com/pinpoint/latest/apireference_smsvoicev2/API_SendTextMessage.html',
  channels: ['sms'],
  fields: {
    ...awsFields,
    from: {
      title: 'Origination identity',
      help: 'A phone number, a sender ID or a pool, by its name, ID or ARN. Without one AWS chooses.',
      optional: true,
    },
    configurationSet: {
      title: 'Configuration set',
      help: 'Its event destination is the SNS topic that calls the report URL.',
      optional: true,
    },
    entityId: {
      title: 'DLT entity ID',
      help: 'India only: the principal entity ID of templates that have none.',
      optional: true,
    },
    apiBase: { title: 'API base', url: true, default: 'https://sms-voice.{{region}}.amazonaws.com' },
  },
  auth: signedByAws('sms-voice'),
  send: {
    sms: {
      request: {
        path: '/',
        headers: { 'x-amz-target': 'PinpointSMSVoiceV2.SendTextMessage' },
        contentType: 'application/x-amz-json-1.0',
        json: {
          DestinationPhoneNumber: '{{to}}',
          OriginationIdentity: '{{from}}',
          MessageBody: '{{text}}',
          MessageType: 'TRANSACTIONAL',
          ConfigurationSetName: '{{configurationSet}}',
          // A message that is still queued when the code expires need not be sent. AWS takes 5 seconds to 72 hours.
          TimeToLive: '{{expiresInSec|atLeast:5|atMost:259200}}',
          // AWS reads these for India alone, where a template needs its DLT ID.
          DestinationCountryParameters: {
            IN_ENTITY_ID: '{{dltEntityId ?? entityId}}',
            IN_TEMPLATE_ID: '{{dltTemplateId ?? templateCode|only:^[A-Za-z0-9]{1,50}$}}',
          },
        },
      },
      id: 'MessageId',
      idPattern: '^[\\w-]{1,256}$',
      codePath: ['Reason', '__type'],
    },
  },
  // An error may have its namespace in front of its name.
  codePattern: '^(?:[\\w.]{1,80}#)?([A-Z][A-Za-z_]{2,63})$',
  // Events that are not final say nothing yet. TEXT_UNKNOWN, which comes after 72 hours, decides nothing.
  reports: {
    confirm: {
      if: [{ path: 'Type', is: 'SubscriptionConfirmation' }],
      url: 'SubscribeURL',
      matches: '^https://sns\\.[a-z0-9-]+\\.amazonaws\\.com(\\.cn)?/\\?',
    },
    items: 'Message',
    kinds: [
      {
        if: [{ path: 'isFinal', is: 'true' }],
        id: 'messageId',
        result: {
          status: 'eventType',
          // Depending on the country AWS says successful for delivered.
          delivered: ['TEXT_DELIVERED', 'TEXT_SUCCESSFUL'],
          failed: [
            'TEXT_INVALID',
            'TEXT_INVALID_MESSAGE',
            'TEXT_UNREACHABLE',
            'TEXT_CARRIER_UNREACHABLE',
            'TEXT_BLOCKED',
            'TEXT_CARRIER_BLOCKED',
            'TEXT_SPAM',
            'TEXT_TTL_EXPIRED',
            'TEXT_PROTECT_BLOCKED',
          ],
          failedCode: '{{status}}',
        },
      },
    ],
  },
  codes: {
    // Access denied, with its reasons.
    AccessDeniedException: ['unfit', 'the key may not call sms-voice:SendTextMessage; check its IAM policy'],
    ACCOUNT_DISABLED: ['unfit', 'AWS has disabled SMS for this account; contact AWS Support'],
    INSUFFICIENT_ACCOUNT_REPUTATION: ['unfit', 'AWS holds back SMS of this account; contact AWS Support'],
    // The signature.
    UnrecognizedClientException: ['unfit', 'AWS does not know the access key'],
    InvalidSignatureException: ['unfit', 'the secret access key is wrong, or the clock of this machine is off'],
    IncompleteSignatureException: ['unfit', 'AWS found the signature malformed; check the access key'],
    MissingAuthenticationTokenException: ['unfit', 'AWS found no signature; check the access key'],
    ExpiredTokenException: ['unfit', 'the session token has expired; configure a new one'],
    OptInRequired: ['unfit', 'the AWS account has not enabled this service or region'],
    // Conflicts.
    ConflictException: ['elsewhere', 'AWS cannot send this in the present state of its resources'],
    DESTINATION_PHONE_NUMBER_OPTED_OUT: [
      'stopped',
      'the recipient has replied STOP; if they agree, remove the number from the opt-out list at AWS',
    ],
    DESTINATION_PHONE_NUMBER_NOT_VERIFIED: [
      'elsewhere',
      'the account is in the SMS sandbox and sends to verified numbers only; ask AWS for production access',
    ],
    NO_ORIGINATION_IDENTITIES_FOUND: ['elsewhere', 'no origination identity of the account can send to this country'],
    NUMBER_CAPABILITIES_MISMATCH: ['elsewhere', 'the origination identity cannot send SMS'],
    MESSAGE_TYPE_MISMATCH: ['elsewhere', 'the origination identity is not for transactional messages'],
    // Quotas.
    MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT: [
      'unfit',
      'the monthly spend limit for SMS is reached; ask AWS for a higher one',
    ],
    ServiceQuotaExceededException: ['later', 'a quota of the AWS account is used up'],
    ThrottlingException: ['later', 'AWS asks for fewer messages at a time'],
    // The message that was asked for.
    ResourceNotFoundException: ['elsewhere', 'AWS knows no such origination identity or configuration set'],
    ValidationException: ['elsewhere', 'AWS found a field of the request not valid'],
    DESTINATION_COUNTRY_BLOCKED: ['elsewhere', 'the account, or its protect configuration, blocks this country'],
    INVALID_IDENTITY_FOR_DESTINATION_COUNTRY: ['elsewhere', 'the origination identity cannot send to this country'],
    INTERNATIONAL_SENDING_NOT_SUPPORTED: ['elsewhere', 'the origination identity cannot send abroad'],
    SENDER_ID_NOT_REGISTERED: ['elsewhere', 'the sender ID is not registered for this country'],
    SENDER_ID_NOT_SUPPORTED: ['elsewhere', 'this country takes no sender IDs; use a number'],
    SENDER_ID_REQUIRES_REGISTRATION: [
      'elsewhere',
      'this country takes registered sender IDs only; register it with AWS',
    ],
    PRICE_OVER_THRESHOLD: ['elsewhere', 'the message costs more than the limit that is set for it'],
    RESOURCE_NOT_ACCESSIBLE: ['elsewhere', 'the account may not use this origination identity or configuration set'],
    CANNOT_PARSE: ['elsewhere', 'AWS could not read a field of the request'],
    FIELD_VALIDATION_FAILED: ['elsewhere', 'AWS found a field of the request not valid'],
    INVALID_PARAMETER: ['elsewhere', 'AWS found a field of the request not valid'],
    // The outcome is unknown.
    InternalServerException: ['ambiguous', 'AWS failed while it had the message; it may be out'],
  },
  reasons: {
    TEXT_INVALID: 'the number is not valid, or is a landline',
    TEXT_INVALID_MESSAGE: 'the text is not valid for the carrier',
    TEXT_UNREACHABLE: 'the phone was unreachable: switched off or out of coverage',
    TEXT_CARRIER_UNREACHABLE: 'the carrier of the phone could not be reached',
    TEXT_BLOCKED: 'the phone blocks SMS, or the number has opted out',
    TEXT_CARRIER_BLOCKED: 'the carrier of the phone blocked the message',
    TEXT_SPAM: 'the carrier took the message for spam; review text and sender registration',
    TEXT_TTL_EXPIRED: 'the code expired before the message could be delivered',
    TEXT_PROTECT_BLOCKED: 'a protect configuration of the AWS account blocked the message',
  },
  explanations: [
    ['^[A-Z][A-Za-z_]{2,63}$', 'AWS refused the request; see this code in the API reference of End User Messaging'],
  ],
}
