/** `watchword healthcheck` answers by its exit code, for containers. */
import type { Command } from 'commander'
import { readConfig } from '../config'
import { command, jsonOption } from './command'
import { Failure, outputFor } from './output'

const PATIENCE_MS = 3_000

export const healthcheckCommand = (): Command =>
  command(
    'healthcheck',
    'ask the running server whether it is ready; exits with 1 where it is not',
    'healthcheck',
    'healthcheck --url http://127.0.0.1:8787',
  )
    .option('--url <url>', 'origin of the server (default: from WATCHWORD_HOST and WATCHWORD_PORT)')
    .addOption(jsonOption())
    .action(async ({ url, json }: { url?: string; json?: boolean }) => {
      const { parseObject } = await import('../providers/answer')
      const { createTransport } = await import('../system/transport')
      const { urlOf } = await import('../system/listen')
      const { host, port } = readConfig(process.env)
      const readiness = new URL('/readyz', url ?? urlOf(host, port)).href
      const answer = await createTransport().request({
        method: 'GET',
        url: readiness,
        headers: {},
        timeoutMs: PATIENCE_MS,
      })
      if (answer.kind !== 'answered') throw new Failure('not_ready', `${readiness} does not answer: ${answer.reason}`)
      if (answer.status !== 200) throw new Failure('not_ready', `${readiness} answers ${answer.status}: ${answer.body}`)
      // From its own machine, the server also reports its dependencies.
      const { checks, providers } = parseObject(answer.body)
      outputFor(json)({ ready: true, url: readiness, checks, providers }, [`${readiness} is ready`])
    })
