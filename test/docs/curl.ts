/** What the pages use of curl, for machines without it. Refuses every other flag. */
import { existsSync } from 'node:fs'

const given = process.argv.slice(2)
const headers = new Headers()
let method: string | undefined
let body: string | undefined
let url = ''
let jar: string | undefined
let showHeaders = false
let retries = 0
let failsOnRefusal = false
let file: string | undefined
let format = ''

const next = () => given.shift() ?? ''
while (given.length > 0) {
  const word = next()
  if (word === '-s') continue
  else if (word === '-sf') failsOnRefusal = true
  else if (word === '--retry') retries = Number(next())
  else if (word === '-o') file = next()
  else if (word === '-w') format = next()
  else if (word === '-i') showHeaders = true
  else if (word === '-X') method = next()
  else if (word === '-d') body = next()
  else if (word === '-b' || word === '-c') jar = next()
  else if (word === '-H') {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(next()) ?? []
    headers.set(name, value)
  } else if (/^https?:/.test(word)) url = word
  else throw new Error(`curl: not a flag of the pages: ${word}`)
}
if (jar !== undefined && existsSync(jar)) headers.set('cookie', await Bun.file(jar).text())
const request = { method: method ?? (body === undefined ? 'GET' : 'POST'), headers, body }
const ask = () => fetch(url, request).catch(() => process.exit(7))
let response = await ask()
// The real one waits in between. Here nothing waits for a time.
for (; response.status === 503 && retries > 0; retries--) response = await ask()
if (failsOnRefusal && !response.ok) process.exit(22)
const [cookie] = response.headers.getSetCookie()
if (jar !== undefined && cookie !== undefined) await Bun.write(jar, cookie.split(';')[0] ?? '')
if (showHeaders)
  process.stdout.write(
    `HTTP/1.1 ${response.status}\n${[...response.headers].map(([name, value]) => `${name}: ${value}\n`).join('')}\n`,
  )
if (file === undefined) process.stdout.write(await response.text())
else await Bun.write(file, await response.text())
process.stdout.write(format.replace('%{http_code}', String(response.status)).replace('\\n', '\n'))
