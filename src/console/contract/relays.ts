/** Relays: platforms whose codes an app delivers. */
import { z } from 'zod'
import { RELAY_SOURCES } from '../../domain/relays/relay'
import { at, leg, mode, ofApp, ofAppAndMode, ok, pageInput, pageOf, procedure } from './base'
import { issueRow } from './issues'

const source = z.enum(RELAY_SOURCES)
const legs = z.array(z.object({ channel: leg, waitSec: z.number().optional() }))

const relay = z.object({
  relayId: z.string(),
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

/** Made by us, and shown only now; missing where the platform makes it. */
const newSecret = z.object({ secret: z.string().optional() })
/** Made by the platform. */
const givenSecret = z.object({ secret: z.string().optional() })

export const relays = {
  list: procedure('look')
    .input(ofApp)
    .output(z.object({ relays: z.array(relay) })),
  create: procedure('keys')
    .input(
      ofAppAndMode.extend({
        ...{ name: z.string(), source, templateId: z.string().optional(), legs: legs.optional() },
        ...givenSecret.shape,
      }),
    )
    .output(relay.extend(newSecret.shape)),
  /** The secret before is taken for one more day. */
  changeSecret: procedure('keys')
    .input(z.object({ relayId: z.string(), ...givenSecret.shape }))
    .output(relay.extend(newSecret.shape)),
  remove: procedure('keys')
    .input(z.object({ relayId: z.string() }))
    .output(ok),
  /** Hands a made-up code to a test relay, as its platform would. */
  test: procedure('keys')
    .input(z.object({ relayId: z.string(), phoneNumber: z.string().min(1).max(40) }))
    .output(z.object({ issueId: z.string() })),
  /** Messages that came through the relays of an app, newest first, without numbers and codes. */
  messages: procedure('look')
    .input(ofAppAndMode.extend(pageInput.shape))
    .output(pageOf(issueRow.extend({ occasion: z.string().optional() }))),
}
