/** What operators watch, at the program itself: a listener for metrics, and a level of the log that changes while it runs. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { HANGS_AFTER_MS, until } from '../support/until'
import { newFolder, programIn, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
let server: Server
afterEach(async () => {
  await server.stop()
  folder.remove()
})

test('metrics have a listener of their own, which answers nothing else; the level of the log changes by a signal', async () => {
  server = await Server.start(programIn(folder.path, { WATCHWORD_METRICS_LISTEN: '127.0.0.1:0' }))
  const own = JSON.parse(server.stdout.split('\n')[0] ?? '').metrics.replace('/metrics', '')
  const metrics = await fetch(`${own}/metrics`)
  expect(metrics.status).toBe(200)
  const told = await metrics.text()
  expect(told).toContain('watchword_build_info{version=')
  expect(told).toMatch(/^process_resident_memory_bytes [1-9]/m)
  expect(told).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
  for (const path of ['/', '/v1/balance', '/console', '/healthz', '/metrics/']) {
    expect([path, (await fetch(own + path)).status]).toEqual([path, 404])
  }
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404)

  const healthLines = () => server.stderr.split('"route":"healthz"').length - 1
  await fetch(`${server.url}/healthz`)
  server.child.kill('SIGUSR2')
  await until(() => server.stderr.split('log level changed').length > 1, 'the level to change')
  expect(server.stderr).toMatch(/\{"level":"info","time":"[^"]+","to":"debug","msg":"log level changed"\}/)
  expect(healthLines()).toBe(0)
  await fetch(`${server.url}/healthz`)
  await until(() => healthLines() === 1, 'the line of a request of routine')
  server.child.kill('SIGUSR2')
  await until(() => server.stderr.split('log level changed').length > 2, 'the level to change back')
  await fetch(`${server.url}/healthz`)
  expect(await server.stop()).toBe(0)
  expect(healthLines()).toBe(1)
})
