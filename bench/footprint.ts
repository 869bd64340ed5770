/** Memory, start and size: of the compiled binary, beside the smallest server the same Bun compiles to. */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { furnish } from './furnish'
import { fromSource, type Generator, residentBytes, type Service, startService } from './processes'
import { atMost, type Part } from './report'
import { SECRET } from './secret'
import { count, fixed, ratiosOf, roundsOf } from './statistics'

const QUEUED = 100_000
const STARTS = 7
const MB = 1e6

export async function footprint(dir: string, generator: Generator): Promise<Part> {
  const [ours, hello] = await Promise.all([compileOurs(dir), compileHello(dir)])
  const times: Record<'ours' | 'hello', number[]> = { ours: [], hello: [] }
  for (let start = 0; start < STARTS; start++) {
    times.hello.push(await firstAnswer([hello]))
    times.ours.push(await firstAnswer([ours, 'serve', '--port', '0', '--data', join(dir, 'start')]))
  }
  const ratio = ratiosOf(times.ours, times.hello)
  const memory = await memoryOf(dir, ours, generator)
  const size = statSync(ours).size
  const bare = statSync(hello).size
  return {
    title: 'Footprint of the binary',
    columns: ['what', 'measured'],
    rows: [
      ['start to first 200, ms', fixed(roundsOf(times.ours).median, 0)],
      ['the same of a compiled hello-world, ms', fixed(roundsOf(times.hello).median, 0)],
      ['binary, MB', fixed(size / MB, 0)],
      ['of which Bun, MB', fixed(bare / MB, 0)],
      ['memory idle, MB', fixed(memory.idle / MB, 0)],
      ['memory idle of a compiled hello-world, MB', fixed(memory.hello / MB, 0)],
      ['memory after 256 connections, MB', fixed(memory.loaded / MB, 0)],
      [`memory of ${count(QUEUED)} queued messages, bytes each`, count(memory.perQueued)],
    ],
    goals: [atMost('start, times a hello-world’s', ratio.median, 3), atMost('memory idle, MB', memory.idle / MB, 80)],
    data: { times, size, bare, memory },
  }
}

async function compileOurs(dir: string): Promise<string> {
  const outfile = join(dir, 'watchword')
  await run(fromSource('build.ts', '--outfile', outfile))
  return outfile
}

async function compileHello(dir: string): Promise<string> {
  const outfile = join(dir, 'hello')
  const { success, logs } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'contenders/hello.ts')],
    compile: { outfile },
    format: 'esm',
    minify: true,
    bytecode: true,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  if (!success) throw new Error(logs.join('\n'))
  return outfile
}

async function run(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { stdio: ['ignore', 'ignore', 'inherit'] })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
}

async function firstAnswer(command: string[]): Promise<number> {
  const startedAt = performance.now()
  const service = await startService(command)
  const { status } = await fetch(`${service.url}/healthz`)
  const took = performance.now() - startedAt
  await service.stop()
  if (status !== 200) throw new Error(`The first answer was ${status}`)
  return took
}

async function memoryOf(dir: string, ours: string, generator: Generator) {
  const services: Service[] = []
  const start = async (command: string[]) => {
    const service = await startService(command, { WATCHWORD_SECRET: SECRET })
    services.push(service)
    return service
  }
  try {
    const hello = await start([join(dir, 'hello')])
    const carrier = await start(fromSource('bench/carrier.ts', '--hang'))
    const open = async (name: string, queued: number) => {
      const own = join(dir, name)
      mkdirSync(own)
      const stuck = { concurrency: 1, timeoutMs: 20_000 }
      const { key, supply } = await furnish(own, {
        issues: 20_000,
        queued,
        carrierUrl: `${carrier.url}/send`,
        carrier: stuck,
      })
      const server = await start([ours, 'serve', '--port', '0', '--data', own])
      return { server, key, supply }
    }
    const plain = await open('plain', 0)
    const queueing = await open('queueing', QUEUED)
    await Bun.sleep(3_000)
    const idle = residentBytes(plain.server)
    const perQueued = (residentBytes(queueing.server) - idle) / QUEUED
    const target = { url: plain.server.url, wire: 'rest', key: plain.key } as const
    const first = { request: 1, verified: 0 }
    await generator.run({ target, supply: plain.supply, first, workload: 'mix', connections: 256, seconds: 3 })
    return { hello: residentBytes(hello), idle, loaded: residentBytes(plain.server), perQueued }
  } finally {
    await Promise.all(services.map((service) => service.stop()))
  }
}
