/** docs/installing.md, followed by somebody who has the files of a release, and the key of who made it. */
import { afterAll, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from '../../deploy/release/programs'
import { SIGNER } from '../../deploy/release/sign'
import { TARGETS } from '../../deploy/release/targets'
import { VERSION } from '../../src/domain/operations/version'
import { compile } from '../binary/compiled'
import { newFolder } from '../binary/support'
import { madeIn } from '../release/made'
import { HANGS_AFTER_MS } from '../support/until'
import { Reader } from './reader'
import { blocksOfStory, INSTALLING } from './stories'

setDefaultTimeout(HANGS_AFTER_MS)

/** To pack all of it takes seconds, and test/release does it. */
async function startsTheBinary(): Promise<string> {
  const file = join(folder.path, 'watchword')
  writeFileSync(file, `#!/bin/sh\nexec '${await compile()}' "$@"\n`)
  return file
}

const folder = newFolder()
afterAll(() => folder.remove())

test('what was released is believed, unpacked, and says what it is', async () => {
  const key = join(folder.path, 'key')
  execute('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const made = join(folder.path, 'release')
  const targets = TARGETS.filter(({ name }) => name === 'linux-x64')
  await madeIn(made, { targets, binaryOf: startsTheBinary, key }, VERSION)
  writeFileSync(join(made, 'allowed_signers'), `${SIGNER} ${readFileSync(`${key}.pub`, 'utf8')}`)
  const reader = new Reader()
  try {
    await reader.run(`cd '${made}'`)
    await reader.follow(blocksOfStory(INSTALLING))
  } finally {
    await reader.stop()
  }
})
