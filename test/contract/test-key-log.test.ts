/** Who tries a real phone with a test key finds out why in the log. */
import { expect, test } from 'bun:test'
import { World } from '../support/world'

test('a test key that is refused a real number is explained in the log at info, without the number', async () => {
  const world = await World.start()
  try {
    const keys = await world.furnish()
    const input = { phoneNumber: '010-1234-5678', purpose: 'signup', idempotencyKey: 'own-phone' }
    const { body } = await world.call('rest', 'issue', input, { key: keys.test })
    expect(body.data).toMatchObject({ code: 'TEST_NUMBER_REQUIRED' })
    const lines = world.logged.filter(
      (line) => line.includes('test_number_required') && !line.includes('"message":"request"'),
    )
    expect(lines).toHaveLength(1)
    expect(lines.join()).not.toMatch(/1234-?5678/)
  } finally {
    await world.stop()
  }
})
