import { expect, setDefaultTimeout, test } from 'bun:test'
import { isNightly } from '../support/depth'
import { HANGS_AFTER_MS } from '../support/until'
import { fuzz } from './fuzz'

setDefaultTimeout(HANGS_AFTER_MS)

const SEEDS = isNightly ? [1, 2, 3, 4, 5] : [1]

test('hostile requests get no 500, an envelope and a request id, change nothing, and nobody else waits', async () => {
  expect(await fuzz({ seeds: SEEDS })).toEqual([])
})
