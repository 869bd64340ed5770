/**
 * otpgateway (https://github.com/knadh/otpgateway) on Redis. It sends a code to a webhook before it answers. As fast as it
 * fairly gets: connections to the webhook that are kept, a Redis that writes no snapshots, no debug log.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sender } from '../code-round'
import { OTPGATEWAY } from '../load/peers'
import type { Service } from '../processes'
import { AT_FIRST, type Site } from '../senders'
import { programNamed, startProgram } from './program'

/** When Redis makes sure that what it has written is on disk. */
type Fsync = 'always' | 'everysec'

const DAY_SECONDS = 86_400

/** Undefined where the machine has not got both. */
export async function otpgateway(
  started: Service[],
  { dir, carrier }: Site,
  fsync: Fsync,
): Promise<Sender | undefined> {
  const program = programNamed('otpgateway')
  const redisProgram = programNamed('redis-server')
  if (!program || !redisProgram) return undefined
  mkdirSync(dir, { recursive: true })
  const redis = await startProgram(redisProgram, (port) => ({ args: redisArguments(port, dir, fsync) }))
  started.push(redis)
  const config = join(dir, 'config.toml')
  const redisPort = new URL(redis.url).port
  const gateway = await startProgram(program, (port) => {
    writeFileSync(config, configOf({ port, redisPort, carrierUrl: carrier.url }))
    return { args: ['--config', config] }
  })
  started.push(gateway)
  const target = { url: gateway.url, wire: 'otpgateway', key: '' } as const
  return { ...AT_FIRST, target, carrier, pids: [gateway.pid, redis.pid] }
}

const redisArguments = (port: number, dir: string, fsync: Fsync): string[] => [
  ...['--bind', '127.0.0.1', '--port', String(port), '--dir', dir],
  ...['--save', '', '--appendonly', 'yes', '--appendfsync', fsync],
]

const configOf = ({ port, redisPort, carrierUrl }: { port: number; redisPort: string; carrierUrl: string }) => `
[app]
address = "127.0.0.1:${port}"
root_url = "http://127.0.0.1:${port}"
server_timeout = "30s"
enable_debug_logs = false
otp_ttl = ${DAY_SECONDS}
otp_max_attempts = 5
otp_max_resends = 3
otp_max_generate = 5

[store.redis]
host = "127.0.0.1"
port = ${redisPort}

[auth.${OTPGATEWAY.namespace}]
namespace = "${OTPGATEWAY.namespace}"
secret = "${OTPGATEWAY.secret}"

[webhooks.${OTPGATEWAY.provider}]
enabled = true
url = "${carrierUrl}/send/otpgateway"
max_conns = 128
timeout = "5s"
channel_name = "SMS"
address_name = "Mobile number"
max_address_len = 16
max_otp_len = 6
`
