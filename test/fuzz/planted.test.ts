import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { HANGS_AFTER_MS } from '../support/until'
import { fuzz } from './fuzz'
import { PLANT, PLANTS } from './plants'

setDefaultTimeout(HANGS_AFTER_MS)

test.each(Object.entries(PLANTS))('finds the planted fault: %s', async (name, { subject }) => {
  const preload = [join(import.meta.dir, 'plants.ts')]
  expect(await fuzz({ seeds: [1], only: [subject], preload, env: { [PLANT]: name } })).not.toEqual([])
})
