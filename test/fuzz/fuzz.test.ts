import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { fuzz } from './fuzz'
import { PLANT, PLANTS } from './plants'

/** Other tests run beside this one: what holds the event loop so long holds it for everybody. `bun run fuzz` is stricter. */
const FLOOR_MS = 150
/** An engine gives up after some 400 ms; what is found by mistake does no harm where something is to be found. */
const FLOOR_OF_PLANTS_MS = 30

test('hostile requests get no 500, an envelope and a request id, change nothing, and nobody else waits', async () => {
  expect(await fuzz({ seeds: [1], floorMs: FLOOR_MS })).toEqual([])
}, 120_000)

test.each(Object.entries(PLANTS))(
  'finds the planted fault: %s',
  async (name, { subject }) => {
    const preload = [join(import.meta.dir, 'plants.ts')]
    const look = () =>
      fuzz({ seeds: [1], only: [subject], floorMs: FLOOR_OF_PLANTS_MS, preload, env: { [PLANT]: name } })
    // What is usual on a machine that is busy just then hides much.
    let found: string[] = []
    for (let looks = 0; looks < 3 && found.length === 0; looks++) found = await look()
    expect(found).not.toEqual([])
  },
  120_000,
)
