/** The carriers that are described, by type. Each is loaded when it is first looked at, by `require`, which does not have its callers wait. */
import type { DescriptionFile } from '../description'

export const DESCRIPTIONS: Readonly<Record<string, () => DescriptionFile>> = {
  twilio: () => require('./twilio').twilio,
  solapi: () => require('./solapi').solapi,
  nhn: () => require('./nhn').nhn,
  aligo: () => require('./aligo').aligo,
  telegram: () => require('./telegram').telegram,
  'twilio-voice': () => require('./twilio-voice').twilioVoice,
  'vonage-voice': () => require('./vonage-voice').vonageVoice,
  whatsapp: () => require('./whatsapp').whatsapp,
}
