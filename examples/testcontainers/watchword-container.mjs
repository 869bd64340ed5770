/** Watchword in test mode for Testcontainers: nothing is sent, nothing is billed, and the code is 000000. */
import { GenericContainer, Wait } from 'testcontainers'

const PORT = 8787
const KEY = { secretKey: /Secret key (\S+)/, publicKey: /Public key (\S+)/ }

export class WatchwordContainer extends GenericContainer {
  /** @param {string} image The image of a release, best by its digest. */
  constructor(image) {
    super(image)
    this.withCommand(['quickstart', '--host', '0.0.0.0'])
      .withExposedPorts(PORT)
      .withWaitStrategy(Wait.forLogMessage(KEY.publicKey))
  }

  /** Starts it, and answers its address and its test keys beside what every started container has. */
  async start() {
    const container = await super.start()
    const said = await text(await container.logs())
    const [secretKey, publicKey] = [KEY.secretKey, KEY.publicKey].map((key) => key.exec(said)?.[1] ?? '')
    const url = `http://${container.getHost()}:${container.getMappedPort(PORT)}`
    return Object.assign(container, { url, secretKey, publicKey })
  }
}

/** What the container has said up to its last key. */
async function text(logs) {
  let said = ''
  for await (const part of logs) {
    said += part
    if (KEY.publicKey.test(said)) break
  }
  return said
}
