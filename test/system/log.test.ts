/** The log where nothing more can be written. */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const MODULE = JSON.stringify(join(import.meta.dir, '../../src/system/log.ts'))

/** Logs 300 MB, and prints by how many of them the process has grown. */
const SCRIPT = `
  const { createLog } = await import(${MODULE})
  const log = createLog('info')
  const before = process.memoryUsage.rss()
  let lines = 0
  const more = () => {
    for (let n = 0; n < 1_000; n++) log.info({ text: 'x'.repeat(1_000) + lines++ }, 'line')
    if (lines < 300_000) return setImmediate(more)
    Bun.gc(true)
    console.log(Math.round((process.memoryUsage.rss() - before) / 1e6))
  }
  more()`

test.if(existsSync('/dev/full'))('on a full disk a server does not keep all that it could not write', async () => {
  const child = Bun.spawn([process.execPath, '-e', SCRIPT], { stdout: 'pipe', stderr: Bun.file('/dev/full') })
  expect(Number(await new Response(child.stdout).text())).toBeWithin(0, 150)
  expect(await child.exited).toBe(0)
})
