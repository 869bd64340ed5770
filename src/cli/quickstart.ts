/** `watchword quickstart`: a running service with a demo app and test keys, and what to type next. */
import { systemRandom } from '../system/random'
import { createApp, createKey } from '../usecases/administer'
import { adminOf, type Opened } from './open'
import { serve } from './serve'

const DEMO_APP = 'quickstart'

export async function quickstart(opened: Opened): Promise<void> {
  const admin = adminOf(opened)
  // First of all, so that a port that is taken leaves the keys of the server that has it alone.
  const { url, setUpUrl } = await serve(opened)
  const { appId } =
    (await opened.store.read.apps()).find(({ name }) => name === DEMO_APP) ??
    (await createApp(admin, { name: DEMO_APP }))
  // Keys cannot be shown twice, so every start makes new ones and retires those of the last.
  for (const old of await opened.store.read.keys(appId)) {
    if (old.mode === 'test' && old.revokedAt === undefined)
      await opened.store.transaction((tx) => tx.revokeKey(old.keyId, tx.now))
  }
  const secret = await createKey(admin, { appId, kind: 'sk', mode: 'test' })
  const publik = await createKey(admin, { appId, kind: 'pk', mode: 'test' })
  // Fresh, so that the printed line works at every start.
  const idempotencyKey = `hello-${Buffer.from(systemRandom.bytes(4)).toString('hex')}`
  process.stdout.write(`
Watchword is running, in test mode: nothing is sent, nothing is billed.

  API        ${url}/v1
  Docs       ${url}/docs
  Console    ${setUpUrl ?? `${url}/console`}
  Data       ${opened.config.dataDir}
  App        ${appId}
  Secret key ${secret.key}
  Public key ${publik.key}

Issue a code to a magic number:

  curl -s ${url}/v1/issue -H 'Authorization: Bearer ${secret.key}' -H 'Content-Type: application/json' -H 'Idempotency-Key: ${idempotencyKey}' -d '{"phoneNumber":"010-0000-0000","purpose":"signup"}'

Then verify it with the test code 000000, using the issueId of the answer:

  curl -s ${url}/v1/verify -H 'Authorization: Bearer ${secret.key}' -H 'Content-Type: application/json' -d '{"issueId":"…","code":"000000"}'

Stop with Ctrl+C.
`)
}
