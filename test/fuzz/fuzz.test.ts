import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { isNightly } from '../support/depth'
import { HANGS_AFTER_MS } from '../support/until'
import { fuzz } from './fuzz'
import { PLANT, PLANTS } from './plants'

setDefaultTimeout(HANGS_AFTER_MS)

const SEEDS = isNightly ? [1, 2, 3, 4, 5] : [1]

test('hostile requests get no 500, an envelope and a request id, change nothing, and nobody else waits', async () => {
  expect(await fuzz({ seeds: SEEDS })).toEqual([])
})

const planted = Object.entries(PLANTS).filter(([, { isSlow }]) => isNightly || !isSlow)

test.each(planted)('finds the planted fault: %s', async (name, { subject }) => {
  const preload = [join(import.meta.dir, 'plants.ts')]
  expect(await fuzz({ seeds: [1], only: [subject], preload, env: { [PLANT]: name } })).not.toEqual([])
})
