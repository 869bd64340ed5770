/**
 * Checksums, and who says that they are right. OpenSSH signs: whoever operates a server has `ssh-keygen`, its keys live in
 * agents and on tokens, and nobody has to install anything to verify one file.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from './programs'

export const SUMS = 'SHA256SUMS'
export const SIGNATURE = `${SUMS}.sig`
/** What the signature is for, so that none for something else can stand in. */
const NAMESPACE = 'watchword-release'
/** Whoever verifies names it so in the file of those they believe. */
export const SIGNER = 'release@watchword'

export const sha256 = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await Bun.file(path).bytes())
    .digest('hex')

/** As `sha256sum --check` reads it: every file of the folder, by name. */
export async function writeSums(folder: string): Promise<void> {
  const names = readdirSync(folder).filter(
    (name) => name !== SUMS && name !== SIGNATURE && statSync(join(folder, name)).isFile(),
  )
  const lines = await Promise.all(names.sort().map(async (name) => `${await sha256(join(folder, name))}  ${name}\n`))
  await Bun.write(join(folder, SUMS), lines.join(''))
}

/** With the private key in a file; of a key in an agent or on a token its public one is named. */
export function signSums(folder: string, key: string): void {
  if (!existsSync(key)) throw new Error(`WATCHWORD_RELEASE_KEY names no file: ${key}`)
  rmSync(join(folder, SIGNATURE), { force: true })
  execute('ssh-keygen', ['-Y', 'sign', '-f', key, '-n', NAMESPACE, SUMS], { cwd: folder })
}

/** As it is documented for those who get the files. @throws Error where the signature is not of one who is believed. */
export async function verifySums(folder: string, allowedSigners: string): Promise<void> {
  const args = ['-Y', 'verify', '-f', allowedSigners, '-I', SIGNER, '-n', NAMESPACE, '-s', join(folder, SIGNATURE)]
  const verify = Bun.spawn(['ssh-keygen', ...args], {
    stdin: Bun.file(join(folder, SUMS)),
    stdout: 'ignore',
    stderr: 'pipe',
  })
  if ((await verify.exited) !== 0) throw new Error(await new Response(verify.stderr).text())
}
