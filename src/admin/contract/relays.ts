/** Relays: platforms whose codes an app delivers. */
import { z } from 'zod'
import { RELAY_SOURCES } from '../../domain/relays/relay'
import { act, at, leg, mode, ofApp, ofAppAndMode, ok, pageInput, pageOf } from './base'
import { issueRow } from './issues'

const source = z.enum(RELAY_SOURCES)
const legs = z.array(z.object({ channel: leg, waitSec: z.number().optional() }))

const relay = z.object({
  relayId: z.string(),
  appId: z.string(),
  name: z.string(),
  source,
  mode,
  url: z.string(),
  /** Missing: the text of the platform. */
  templateId: z.string().optional(),
  /** Missing: as the app sends SMS. */
  legs: legs.optional(),
  /** It has a secret; without one its platform is refused. */
  isReady: z.boolean(),
  createdAt: at,
})

/** What its owner decides; without `templateId` the text of the platform, without `legs` as the app sends SMS. */
export const relaySettings = z.object({
  ...{ name: z.string(), source, mode, templateId: z.string().optional(), legs: legs.optional() },
})

/** Made by us, and shown only now; missing where the platform makes it. */
const newSecret = z.object({ secret: z.string().optional() })
/** Made by the platform. */
const givenSecret = z.object({ secret: z.string().optional() })

export const relays = {
  list: act('GET /apps/{appId}/relays', 'List the relays of an app.', 'look')
    .input(ofApp)
    .output(z.object({ relays: z.array(relay) })),
  create: act('POST /apps/{appId}/relays', 'Create a relay.', 'keys')
    .input(ofApp.extend({ ...relaySettings.shape, ...givenSecret.shape }))
    .output(relay.extend(newSecret.shape)),
  changeSecret: act(
    'POST /relays/{relayId}/secret',
    'Change the secret of a relay. The secret before is taken for one more day.',
    'keys',
  )
    .input(z.object({ relayId: z.string(), ...givenSecret.shape }))
    .output(relay.extend(newSecret.shape)),
  remove: act('DELETE /relays/{relayId}', 'Remove a relay.', 'keys')
    .input(z.object({ relayId: z.string() }))
    .output(ok),
  test: act(
    'POST /relays/{relayId}/test',
    'Send a test code through a relay. Hands a made-up code to a test relay, as its platform would.',
    'keys',
  )
    .input(z.object({ relayId: z.string(), phoneNumber: z.string().min(1).max(40) }))
    .output(z.object({ issueId: z.string() })),
  messages: act(
    'GET /apps/{appId}/relays/messages',
    'List relayed messages. Messages that came through the relays of an app, newest first, without numbers and codes.',
    'look',
  )
    .input(ofAppAndMode.extend(pageInput.shape))
    .output(pageOf(issueRow.extend({ occasion: z.string().optional() }))),
}
