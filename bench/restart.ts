/** How long the first code waits after a start, with so many codes of the last day: the first start, and one after a kill. */
import { join } from 'node:path'
import { fill } from './fill'
import { furnish } from './furnish'
import { type Service, serveCommand, startService } from './processes'
import { atMost, type Part } from './report'
import { SECRET } from './secret'
import { count, fixed } from './statistics'

/** What a start is allowed. */
const FIRST_CODE_WITHIN_MS = 300
const ASKED_AGAIN_MS = 20
/** What it knows of an app with many codes is stored soon after it has been read. */
const KEPT_WITHIN_MS = 10_000

interface Start {
  codes: number
  how: 'first' | 'again'
  /** From the moment it listens, milliseconds. */
  readyMs: number
  /** The first request for a code, which may be refused; then the first code. */
  firstAnswerMs: number
  firstCodeMs: number
  refused: number
}

export async function restart(dir: string, sizes: readonly number[]): Promise<Part> {
  const starts: Start[] = []
  for (const codes of sizes) {
    const place = join(dir, `restart-${codes}`)
    const { file, appId, key, supply } = await furnish(place, { issues: 0, carrierUrl: 'http://127.0.0.1:9/none' })
    fill({ file, appId, issues: codes, days: 1, until: supply.base })
    for (const how of ['first', 'again'] as const) {
      const server = await startService(serveCommand(place), { WATCHWORD_SECRET: SECRET })
      starts.push({ codes, how, ...(await measure(server, key)) })
      await Bun.sleep(how === 'first' ? KEPT_WITHIN_MS : 0)
      await server.stop()
    }
  }
  return {
    title: 'The first code after a start, by codes of the last day; the second start follows a kill',
    columns: ['codes', 'start', 'ready, ms', 'first answer, ms', 'first code, ms', 'refused before'],
    rows: starts.map(({ codes, how, readyMs, firstAnswerMs, firstCodeMs, refused }) => [
      ...[count(codes), how, fixed(readyMs), fixed(firstAnswerMs), fixed(firstCodeMs), count(refused)],
    ]),
    goals: starts.map(({ codes, how, firstAnswerMs, firstCodeMs }) =>
      atMost(
        `ms to the first ${how === 'first' ? 'answer' : 'code'}, ${count(codes)} codes of the day, ${how} start`,
        how === 'first' ? firstAnswerMs : firstCodeMs,
        FIRST_CODE_WITHIN_MS,
      ),
    ),
    data: starts,
  }
}

async function measure({ url }: Service, key: string): Promise<Omit<Start, 'codes' | 'how'>> {
  const startedAt = performance.now()
  const since = () => performance.now() - startedAt
  const ready = untilOk(async () => fetch(`${url}/readyz`)).then(since)
  let firstAnswerMs: number | undefined
  let refused = 0
  const issue = (n: number) =>
    fetch(`${url}/v1/issue`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': `first-${startedAt}-${n}`,
      },
      body: JSON.stringify({ phoneNumber: '010-1234-5678', purpose: 'restart' }),
    })
  await untilOk(async (n) => {
    const answer = await issue(n)
    firstAnswerMs ??= since()
    if (!answer.ok) {
      if (answer.status !== 503) throw new Error(`restart: ${answer.status} ${await answer.text()}`)
      refused++
    }
    return answer
  })
  const firstCodeMs = since()
  return { readyMs: await ready, firstAnswerMs: firstAnswerMs ?? firstCodeMs, firstCodeMs, refused }
}

async function untilOk(ask: (n: number) => Promise<Response>): Promise<void> {
  for (let n = 0; ; n++) {
    const answer = await ask(n)
    if (answer.ok) return
    await Bun.sleep(ASKED_AGAIN_MS)
  }
}
