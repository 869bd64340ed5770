/** Stands in for curl, which a bare machine lacks. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PROGRAM = `let url = '', body
const headers = {}
const words = process.argv.slice(2)
while (words.length > 0) {
  const word = words.shift()
  if (word === '-H' || word === '--header') { const [name, value] = words.shift().split(/: (.*)/s); headers[name] = value }
  else if (word === '-d' || word === '--data') body = words.shift()
  else if (word === '--request') words.shift()
  else if (word !== '-s') url = word
}
const answer = await fetch(url, { method: body === undefined ? 'GET' : 'POST', headers, body })
process.stdout.write(await answer.text())`

/** Puts it into the folder, which is answered, to stand first in a PATH. */
export function curlIn(folder: string): string {
  writeFileSync(join(folder, 'curl.ts'), PROGRAM)
  writeFileSync(join(folder, 'curl'), `#!/bin/sh\nexec ${process.execPath} ${join(folder, 'curl.ts')} "$@"\n`)
  chmodSync(join(folder, 'curl'), 0o755)
  return folder
}
