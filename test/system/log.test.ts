/** The log as a process has it: where it is read, where nobody reads it, and where nothing more can be written. */
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const moduleOf = (path: string) => JSON.stringify(join(import.meta.dir, '../../src/system', path))
const MODULE = moduleOf('log.ts')

/** Logs 100 MB, and prints how many of them are still held: by the heap once all garbage is gone, not by the process. */
const SCRIPT = `
  const { createLog } = await import(${MODULE})
  const { heapStats } = await import('bun:jsc')
  const log = createLog('info')
  let lines = 0
  const more = () => {
    for (let n = 0; n < 1_000; n++) log.info({ text: 'x'.repeat(1_000) + lines++ }, 'line')
    if (lines < 100_000) return setImmediate(more)
    Bun.gc(true)
    console.log(Math.round(heapStats().heapSize / 1e6))
  }
  more()`

test.if(existsSync('/dev/full'))('on a full disk a server does not keep all that it could not write', async () => {
  const child = Bun.spawn([process.execPath, '-e', SCRIPT], { stdout: 'pipe', stderr: Bun.file('/dev/full') })
  expect(Number(await new Response(child.stdout).text())).toBeWithin(0, 50)
  expect(await child.exited).toBe(0)
})

/** Tells of a request of which it counts what is looked at, at a level and at another that it is changed to. */
const TELLING = `
  const { logOnUse } = await import(${MODULE})
  const { createTelemetry } = await import(${moduleOf('telemetry/index.ts')})
  const log = logOnUse('warn')
  const telemetry = createTelemetry({ log })
  const answered = { origin: { requestId: 'request-1' }, route: 'POST /v1/issue', status: 200, ms: 1, appId: 'a "quoted" name' }
  let looks = 0
  const counted = new Proxy(answered, { get: (target, name) => (looks++, target[name]) })
  log.level = 'info'
  telemetry.requestAnswered(counted)
  log.debug({ no: 1 }, 'not at this level')
  log.info({}, 'nothing else')
  log.level = 'debug'
  log.debug({ level: log.level, none: undefined }, 'changed')
  await log.end()
  console.log(looks)`

const telling = (stderr: Bun.BunFile | 'pipe') =>
  Bun.spawn([process.execPath, '-e', TELLING], { stdout: 'pipe', stderr })
const looksOf = async ({ stdout }: { stdout: ReadableStream }) => Number(await new Response(stdout).text())

test('what goes to nobody is not even composed, at whatever level', async () => {
  expect(await looksOf(telling(Bun.file(devNull)))).toBe(0)
})

test('what somebody reads is a line each: file, pipe or another device', async () => {
  const file = Bun.file(join(tmpdir(), `watchword-log-${crypto.randomUUID()}`))
  const [intoFile, piped] = [telling(file), telling('pipe')]
  expect(await looksOf(intoFile)).toBeGreaterThan(0)
  expect(await looksOf(piped)).toBeGreaterThan(0)
  if (existsSync('/dev/zero')) expect(await looksOf(telling(Bun.file('/dev/zero')))).toBeGreaterThan(0)
  for (const text of [await file.text(), await new Response(piped.stderr as ReadableStream).text()]) {
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(lines).toEqual([
      {
        ...{ level: 'info', time, requestId: 'request-1', route: 'POST /v1/issue', status: 200, ms: 1 },
        ...{ appId: 'a "quoted" name', msg: 'request' },
      },
      { level: 'info', time, msg: 'nothing else' },
      { level: 'debug', time, msg: 'changed' },
    ])
  }
  await file.delete()
})
