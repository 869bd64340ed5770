/** The log that is loaded with its first line. */
import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const MODULE = JSON.stringify(join(import.meta.dir, '../../src/system/log'))

/** What a process logs, line by line; and prints. */
async function logged(script: string) {
  const text = `const { logOnUse } = await import(${MODULE}); ${script}; await log.end()`
  const child = Bun.spawn([process.execPath, '-e', text], { stdout: 'pipe', stderr: 'pipe' })
  const [printed, lines] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const told = lines.split('\n').filter(Boolean)
  return { printed: printed.trim(), lines: told.map((line) => JSON.parse(line)) }
}

test('has every line from its level on, also once that is another one', async () => {
  const { lines } = await logged(`
    const log = logOnUse('warn')
    const all = (n) => ['debug', 'info', 'warn', 'error'].forEach((name) => log[name]({ n }, name))
    all(1); log.level = 'debug'; all(2); log.level = 'error'; all(3); log.level = 'silent'; all(4)`)
  expect(lines.map(({ n, level, msg }) => `${n} ${level} ${msg}`)).toEqual([
    ...['1 warn warn', '1 error error'],
    ...['2 debug debug', '2 info info', '2 warn warn', '2 error error'],
    '3 error error',
  ])
})

test('loads nothing for what it does not write', async () => {
  const isLoaded = `Object.keys(require.cache).some((path) => /[\\\\/]pino[\\\\/]/.test(path))`
  const { printed, lines } = await logged(`
    const log = logOnUse('silent')
    log.error({}, 'not told'); log.level = 'info'; log.debug({}, 'nor this'); console.log(${isLoaded})
    log.info({}, 'told'); console.log(${isLoaded}, log.level)`)
  expect(printed.split('\n')).toEqual(['false', 'true info'])
  expect(lines.map(({ msg }) => msg)).toEqual(['told'])
})
