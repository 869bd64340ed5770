/** `watchword quickstart` starts a service with a demo app and test keys, and prints the next steps. */
import type { Config } from '../config'
import { whenRunnerEnds } from '../system/script-runner'
import { createApp, standingTestKey } from '../usecases/administer'
import { adminOf, type Opened, placeOf } from './open'
import { serve } from './serve'

const DEMO_APP = 'quickstart'

export async function quickstart(opened: Opened): Promise<void> {
  const admin = adminOf(opened)
  // Listens first, so that a taken port changes nothing.
  const { url, setUpUrl, drain } = await serve({ ...opened, config: withLocalReceivers(opened.config) })
  process.on('SIGHUP', () => drain('SIGHUP'))
  whenRunnerEnds(() => drain('the runner of the script has ended'))
  const { appId } =
    (await opened.store.read.apps.all()).find(({ name }) => name === DEMO_APP) ??
    (await createApp(admin, { name: DEMO_APP }))
  const secretKey = await standingTestKey(admin, appId, 'sk')
  const publicKey = await standingTestKey(admin, appId, 'pk')
  process.stdout.write(`
Watchword is running, in test mode: nothing is sent, nothing is billed.

  API        ${url}/v1
  Docs       ${url}/docs
  Console    ${setUpUrl ?? `${url}/console`}
  Data       ${placeOf(opened.config)}
  App        ${appId}
  Secret key ${secretKey}
  Public key ${publicKey}

The keys are the same at every start: what holds them, such as an .env, goes on working.

Issue a code to a magic number:

  ${issueLine(`${url}/v1`, `'Authorization: Bearer ${secretKey}'`)}

Or paste this into another terminal, line by line: issue a code and keep its id, look how it fares, verify it with the
test code 000000.

  BASE=${url}/v1
  KEY=${secretKey}
  ANSWER=$(${issueLine('"$BASE"', '"Authorization: Bearer $KEY"')}); echo "$ANSWER"
  ISSUE=$(echo "$ANSWER" | sed 's/.*"issueId":"\\([^"]*\\)".*/\\1/')
  curl -s "$BASE/status?issueId=$ISSUE" -H "Authorization: Bearer $KEY"; echo
  curl -s "$BASE/verify" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d "{\\"issueId\\":\\"$ISSUE\\",\\"code\\":\\"000000\\"}"; echo

These keys take magic numbers only: your own number is refused with TEST_NUMBER_REQUIRED, since a test key sends nothing.
For a code on your phone, follow the first steps in the console to a carrier and a live key.

Stop with Ctrl+C.
`)
}

/** Allows webhooks to this machine, where a developer's receiver runs. */
const withLocalReceivers = (config: Config): Config => ({
  ...config,
  webhooks: { ...config.webhooks, testOnLoopback: true },
})

/** The shell generates a new idempotency key each time the line is pasted, in sh, bash and zsh. */
const issueLine = (base: string, authorization: string) =>
  `curl -s ${base}/issue -H ${authorization} -H 'Content-Type: application/json' -H "Idempotency-Key: hello-$(date +%s)$RANDOM" -d '{"phoneNumber":"010-0000-0000","purpose":"signup"}'`
