/** The carriers that are described, by type. Each is loaded when it is first looked at, by `require`, which does not have its callers wait. */
import type { DescriptionFile } from '../description'

export const DESCRIPTIONS: Readonly<Record<string, () => DescriptionFile>> = {
  twilio: () => require('./twilio').twilio,
  solapi: () => require('./solapi').solapi,
  nhn: () => require('./nhn').nhn,
  aligo: () => require('./aligo').aligo,
  alibaba: () => require('./alibaba').alibaba,
  vonage: () => require('./vonage').vonage,
  telnyx: () => require('./telnyx').telnyx,
  sinch: () => require('./sinch').sinch,
  infobip: () => require('./infobip').infobip,
  plivo: () => require('./plivo').plivo,
  messagebird: () => require('./messagebird').messagebird,
  cm: () => require('./cm').cm,
  clickatell: () => require('./clickatell').clickatell,
  africastalking: () => require('./africastalking').africastalking,
  'aws-sms': () => require('./aws-sms').awsSms,
  'aws-sns': () => require('./aws-sns').awsSns,
  kaleyra: () => require('./kaleyra').kaleyra,
  msg91: () => require('./msg91').msg91,
  tencent: () => require('./tencent').tencent,
  telegram: () => require('./telegram').telegram,
  'twilio-voice': () => require('./twilio-voice').twilioVoice,
  'vonage-voice': () => require('./vonage-voice').vonageVoice,
  whatsapp: () => require('./whatsapp').whatsapp,
}
