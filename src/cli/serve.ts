/** `watchword serve`. */
import { createApp } from '../app'
import { listBackups } from '../system/backups'
import { systemClock } from '../system/clock'
import { systemDial } from '../system/dial'
import { createHookTransport } from '../system/hook-transport'
import { type Listener, listen } from '../system/listen'
import { systemPasswords } from '../system/passwords'
import { systemRandom } from '../system/random'
import { systemSchedule } from '../system/schedule'
import { holdAlone } from '../system/sole'
import { systemTransport } from '../system/transport'
import { setUpToken } from '../usecases/operators'
import type { Opened } from './open'

/**
 * Starts everything; SIGTERM and SIGINT drain and exit with 0. Answers once it listens, with the link that makes the
 * first operator where there is none.
 */
export async function serve(opened: Opened): Promise<Listener & { setUpUrl: string | undefined }> {
  const { config, log } = opened
  holdAlone(config.dataDir)
  const app = createApp(config, {
    ...opened,
    clock: systemClock,
    random: systemRandom,
    transport: systemTransport,
    dial: systemDial,
    passwords: systemPasswords,
    backups: () => listBackups(config.dataDir),
    hooks: createHookTransport(config.webhooks),
    schedule: systemSchedule,
  })
  await app.start({ alone: true })
  const listener = listen({ host: config.host, port: config.port, fetch: app.fetch })

  let isDraining = false
  const drain = async (signal: string) => {
    if (isDraining) return
    isDraining = true
    log.info({ signal }, 'draining')
    await listener.stop()
    await app.stop()
    process.exit(0)
  }
  process.on('SIGTERM', () => drain('SIGTERM'))
  process.on('SIGINT', () => drain('SIGINT'))
  const token = await setUpToken({ ...opened, random: systemRandom })
  // Behind the #, where it reaches no server and no log.
  const setUpUrl = token && `${config.publicUrl ?? listener.url}/console/set-up#${token}`
  return { ...listener, setUpUrl }
}
