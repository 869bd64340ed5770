/**
 * Amazon SNS: SMS by the Query API, which answers in XML. What became of a message stands in CloudWatch Logs alone, so there are no
 * reports; `aws-sms` has them.
 */
import type { DescriptionFile } from '../description'
import { awsFields, signedByAws } from './aws-account'

/** Attributes are a numbered list without gaps. */
const published = {
  Action: 'Publish',
  Version: '2010-03-31',
  PhoneNumber: '{{to}}',
  Message: '{{text}}',
  'MessageAttributes.entry.1.Name': 'AWS.SNS.SMS.SMSType',
  'MessageAttributes.entry.1.Value.DataType': 'String',
  'MessageAttributes.entry.1.Value.StringValue': 'Transactional',
}

const publishedBySender = {
  ...published,
  'MessageAttributes.entry.2.Name': '{{from|only:^\\+?\\d+$|as:AWS.MM.SMS.OriginationNumber|or:AWS.SNS.SMS.SenderID}}',
  'MessageAttributes.entry.2.Value.DataType': 'String',
  'MessageAttributes.entry.2.Value.StringValue': '{{from}}',
}

const answer = {
  // The Query API answers JSON where it is asked to; XML is what it documents.
  answerPattern: '<MessageId>(?<id>[^<]+)</MessageId>|<Code>(?<code>[^<]+)</Code>',
  id: ['id', 'PublishResponse.PublishResult.MessageId'],
  idPattern: '^[\\w-]{1,256}$',
  codePath: ['code', 'Error.Code'],
}

const request = (form: Record<string, string>) => ({ path: '/', headers: { accept: 'application/xml' }, form })

export const awsSns: DescriptionFile = {
  type: 'aws-sns',
  title: 'Amazon SNS',
  documentation: 'https://docs.aws.amazon.com/sns/latest/api/API_Publish.html',
  channels: ['sms'],
  fields: {
    ...awsFields,
    from: {
      title: 'Sender',
      help: 'A sender ID, or an origination number of the account in E.164. Without one AWS chooses.',
      pattern: '^(\\+?\\d{5,15}|(?=.*[A-Za-z])[A-Za-z0-9-]{1,11})$',
      says: 'must be a sender ID of up to 11 letters and digits, or a number',
      optional: true,
    },
    entityId: {
      title: 'DLT entity ID',
      help: 'India only: the principal entity ID of templates that have none.',
      optional: true,
    },
    apiBase: { title: 'API base', url: true, default: 'https://sns.{{region}}.amazonaws.com' },
  },
  auth: signedByAws('sns'),
  send: {
    'sms-india': {
      channel: 'sms',
      when: [
        { value: '{{to}}', matches: '^\\+91' },
        { value: '{{from}}' },
        { value: '{{dltEntityId ?? entityId}}' },
        { value: '{{dltTemplateId ?? templateCode}}' },
      ],
      request: request({
        ...publishedBySender,
        'MessageAttributes.entry.3.Name': 'AWS.MM.SMS.EntityId',
        'MessageAttributes.entry.3.Value.DataType': 'String',
        'MessageAttributes.entry.3.Value.StringValue': '{{dltEntityId ?? entityId}}',
        'MessageAttributes.entry.4.Name': 'AWS.MM.SMS.TemplateId',
        'MessageAttributes.entry.4.Value.DataType': 'String',
        'MessageAttributes.entry.4.Value.StringValue': '{{dltTemplateId ?? templateCode}}',
      }),
      ...answer,
    },
    'sms-sender': {
      channel: 'sms',
      when: [{ value: '{{from}}' }],
      request: request(publishedBySender),
      ...answer,
    },
    sms: { request: request(published), ...answer },
  },
  codePattern: '^[A-Z][A-Za-z]{2,63}$',
  codes: {
    // The account and its signature; also docs.aws.amazon.com/sns/latest/api/CommonErrors.html.
    AuthorizationError: ['unfit', 'the key may not call sns:Publish; check its IAM policy'],
    AccessDenied: ['unfit', 'the key may not call sns:Publish; check its IAM policy'],
    AccessDeniedException: ['unfit', 'the key may not call sns:Publish; check its IAM policy'],
    NotAuthorized: ['unfit', 'the key may not call sns:Publish; check its IAM policy'],
    InvalidClientTokenId: ['unfit', 'AWS does not know the access key'],
    SignatureDoesNotMatch: ['unfit', 'the secret access key is wrong, or the clock of this machine is off'],
    InvalidSecurity: ['unfit', 'AWS found the signature not valid; check the keys'],
    IncompleteSignature: ['unfit', 'AWS found the signature malformed; check the access key'],
    MissingAuthenticationToken: ['unfit', 'AWS found no signature; check the access key'],
    ExpiredToken: ['unfit', 'the session token has expired; configure a new one'],
    RequestExpired: ['unfit', 'the clock of this machine is more than 15 minutes off'],
    OptInRequired: ['unfit', 'the AWS account has not enabled this service or region'],
    // The message.
    InvalidParameter: ['elsewhere', 'AWS found number, sender or text not valid, or the SMS sandbox lacks the number'],
    ParameterValueInvalid: ['elsewhere', 'AWS found number, sender or text not valid'],
    InvalidParameterValue: ['elsewhere', 'AWS found number, sender or text not valid'],
    ValidationError: ['elsewhere', 'AWS found a field of the request not valid'],
    MalformedQueryString: ['elsewhere', 'AWS could not read the request'],
    InvalidAction: ['elsewhere', 'AWS knows no such action; check the API base'],
    NotFound: ['elsewhere', 'AWS found no such resource; check the region'],
    EndpointDisabled: ['elsewhere', 'the endpoint is disabled at SNS'],
    OptedOut: ['stopped', 'the recipient has replied STOP; if they agree, opt the number in again in the AWS console'],
    // Surely not taken, for now.
    Throttled: ['later', 'AWS asks for fewer messages at a time'],
    Throttling: ['later', 'AWS asks for fewer messages at a time'],
    ThrottlingException: ['later', 'AWS asks for fewer messages at a time'],
    // The outcome is unknown.
    InternalError: ['ambiguous', 'AWS failed while it had the message; it may be out'],
    InternalFailure: ['ambiguous', 'AWS failed while it had the message; it may be out'],
    ServiceUnavailable: ['ambiguous', 'AWS was unavailable while it had the message; it may be out'],
  },
  explanations: [['^[A-Z][A-Za-z]{2,63}$', 'AWS refused the request; see this code in the API reference of SNS']],
}
