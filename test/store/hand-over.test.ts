/** A server that stops hands its jobs over to the others. */
import { expect, setDefaultTimeout, test } from 'bun:test'
import { twisted } from '../simulation/sabotage'
import { answered } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { SchemaPlace } from '../support/schema-place'
import { HANGS_AFTER_MS } from '../support/until'
import { SMS_URL, START, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

test('a job that failed is somebody else’s as soon as its server has stopped, and not only after its lease', async () => {
  const [place, clock] = [await SchemaPlace.find(), new VirtualClock(START)]
  const failing = twisted((tx) => ({
    jobs: {
      async finish(job) {
        if (job.kind === 'deliver') throw new Error('refused')
        return tx.jobs.finish(job)
      },
    },
  }))
  const stops = await World.start({ place, clock, wrapStore: failing.store ?? ((store) => store) })
  const { live } = await stops.furnish()
  await stops.provide('main', ['sms'], SMS_URL, { reports: false })
  // It is sent again by a job.
  stops.sms.script(() => answered(429, {}))
  await stops.call('rest', 'issue', { phoneNumber: '010-1234-5678', purpose: 'p', idempotencyKey: 'k' }, { key: live })
  await stops.settle()
  await stops.advance(10_000)
  const stays = await World.start({ seed: 2, place, clock })
  const billing = async () => (await stays.rows('SELECT billing_status AS is FROM issues'))[0]?.is
  await stays.advance(2_000)
  expect(await billing()).toBe('reserved')
  await stops.app.stop()
  await stays.advance(1_000)
  expect(await billing()).toBe('debited')
  await stays.stop()
})
