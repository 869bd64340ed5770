/**
 * Somebody who follows a page word for word: a shell in a copy of the repository, an empty home, and nothing installed. What
 * differs from a real reader: ports are free ones, and `npm install` and `npx bun` take what is already on this machine.
 */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Subprocess } from 'bun'
import { BUILT, isBuilt, newFolder, programIn, ROOT } from '../binary/support'
import { freePort } from '../support/free-port'
import { until } from '../support/until'
import type { Block } from './pages'

/** The ports that pages name: two servers', that of metrics, PostgreSQL's, a carrier's, those of the reader's app and its page, and one to spare. */
const PORTS = ['8787', '8788', '9464', '5432', '8790', '3000', '5173', '3001'] as const
export type Port = (typeof PORTS)[number]

const { command: WATCHWORD } = programIn(ROOT)

const DONE = '--- that was the block ---'
const NOT_COPIED = ['.git', 'watchword-data']

/** What pages call that a machine may lack or that would fetch from the internet: what is installed is what is here already. */
const COMMANDS: Readonly<Record<string, string>> = {
  bun: `
    [ "$*" != 'run pack' ] || exec env ${BUILT}='${process.env[BUILT] ?? ''}' '${process.execPath}' '${ROOT}/test/support/pack-client.ts'
    exec '${process.execPath}' "$@"`,
  watchword: `exec ${WATCHWORD.map((word) => `'${word}'`).join(' ')} "$@"`,
  npx: `
    [ "$1 $2" = '--yes bun@1.4.5' ] || { echo "npx: not on this page: $*" >&2; exit 1; }
    shift 2
    case "$*" in
      install) ;;
      'run quickstart') exec watchword quickstart ;;
      *) exec bun "$@" ;;
    esac`,
  npm: `
    here='${ROOT}'/node_modules
    case "$1 $2" in
      'create vite@latest') name=$3; shift 4; exec "$here"/.bin/create-vite "$name" "$@" ;;
      install*) shift ;;
      *) exec '${Bun.which('npm')}' "$@" ;;
    esac
    [ $# -gt 0 ] || set -- $('${process.execPath}' -p 'Object.keys(require("./package.json").devDependencies).join(" ")')
    for what in "$@"; do
      case "$what" in
        *.tgz)
          # Where nothing else would be fetched.
          alone=$(mktemp -d)
          '${Bun.which('npm')}' install --prefix "$alone" "$what" || exit 1
          mkdir -p node_modules && cp -R "$alone"/node_modules/. node_modules
          rm -r "$alone"
          continue ;;
      esac
      [ -e "$here/$what" ] || { echo "npm: not here: $what" >&2; exit 1; }
      mkdir -p "$(dirname "node_modules/$what")" node_modules/.bin
      ln -sfn "$(realpath "$here/$what")" "node_modules/$what"
      [ ! -e "$here/.bin/$what" ] || ln -sfn "$(realpath "$here/.bin/$what")" "node_modules/.bin/$what"
    done`,
}

/** For machines without curl. */
const OUR_CURL = { curl: `exec '${process.execPath}' '${import.meta.dir}/curl.ts' "$@"` }

/** What stands behind a beginning, where it is not only letters and digits: secrets of webhooks are Base64. */
const BEHIND: Record<string, string> = { whsec_: '[0-9A-Za-z+/]+=*' }

interface ReaderOptions {
  hasCurl?: boolean
  /** The port of one. */
  postgres?: number
}

export class Reader {
  /** All that was printed so far. */
  said = ''
  readonly #folder = newFolder()
  readonly #ports: Readonly<Record<Port, number>>
  readonly #shell: Subprocess<'pipe', 'pipe', 'inherit'>
  readonly #services: Array<{ group: number; log: string }> = []
  readonly #held = new Map<string, { stop(closesAll: boolean): void }>()
  readonly #read: Promise<void>
  #blocks = 0
  #last = ''

  constructor({ hasCurl = Bun.which('curl') !== null, postgres }: ReaderOptions = {}) {
    this.#ports = { ...freePorts(), ...(postgres !== undefined && { '5432': postgres }) }
    const { path } = this.#folder
    for (const folder of ['home', 'bin', 'watchword']) mkdirSync(join(path, folder))
    // `dist` may not be built yet.
    const names = new Set([...readdirSync(ROOT), 'dist'])
    for (const name of [...names].filter((one) => !NOT_COPIED.includes(one))) {
      symlinkSync(join(ROOT, name), join(path, 'watchword', name))
    }
    for (const [name, script] of Object.entries({ ...COMMANDS, ...(!hasCurl && OUR_CURL) })) {
      writeFileSync(join(path, 'bin', name), `#!/usr/bin/env bash\n${script}\n`, { mode: 0o755 })
    }
    this.#shell = Bun.spawn(['bash', '--noprofile', '--norc'], {
      cwd: join(path, 'watchword'),
      env: {
        PATH: `${join(path, 'bin')}:${dirname(Bun.which('node') ?? '')}:${process.env.PATH}`,
        HOME: join(path, 'home'),
        npm_config_offline: 'true',
        npm_config_update_notifier: 'false',
        WATCHWORD_PORT: String(this.#ports['8787']),
      },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    this.#read = this.#listen(this.#shell.stdout)
    this.#enter("exec 2>&1; set -eo pipefail; trap 'kill -9 $(jobs -p)' EXIT")
  }

  url(port: Port): string {
    return `http://localhost:${this.#ports[port]}`
  }

  /** The last thing printed that begins so; what was only just started may still be about to say it. */
  async printed(prefix: string): Promise<string> {
    let found: string | undefined
    await until(async () => {
      const said = [this.said, ...(await Promise.all(this.#services.map(({ log }) => Bun.file(log).text())))].join('\n')
      found = [...said.matchAll(new RegExp(`\\b${prefix}${BEHIND[prefix] ?? '[0-9A-Za-z]+'}`, 'g'))].at(-1)?.[0]
      return found !== undefined
    }, `something that begins with ${prefix} to be printed`)
    return found ?? ''
  }

  async follow(blocks: readonly Block[]): Promise<void> {
    await isBuilt(WATCHWORD)
    for (const { marks } of blocks) if (marks.untested === undefined) this.#hold(marks.serve)
    for (const block of blocks) {
      if (block.marks.untested !== undefined) continue
      if (block.marks.file !== undefined) await this.#write(block)
      else if (block.marks.prints !== undefined) this.#compare(block)
      else if (block.marks.serve !== undefined) await this.#serve(block)
      else if (block.language === 'sh') await this.#type(block)
    }
  }

  /** Runs a script in the shell and answers what it printed. */
  async run(script: string, what = script): Promise<string> {
    const file = join(this.#folder.path, `block-${++this.#blocks}.sh`)
    writeFileSync(file, script)
    const before = this.said.length
    // Not the shell's own input: Node would make that non-blocking, for the shell as well.
    this.#enter(`. '${file}' < /dev/null; echo; echo '${DONE}'`)
    const isOver = () => this.said.indexOf(`\n${DONE}\n`, before) >= 0
    const said = () => this.said.slice(before)
    await until(() => isOver() || this.#shell.exitCode !== null, `${what} to end`).catch((error) => {
      throw new Error(`${error.message}:\n${said()}`)
    })
    if (!isOver()) throw new Error(`${what} failed:\n${said()}`)
    return said().replace(`\n${DONE}\n`, '')
  }

  /** What the reader's own app has written so far. */
  logs(): Promise<string> {
    return Bun.file(this.#services.at(-1)?.log ?? '').text()
  }

  async stop(): Promise<void> {
    for (const { group } of this.#services) kill(group)
    for (const holder of this.#held.values()) holder.stop(true)
    // It takes with it what the pages left running in it.
    this.#shell.kill('SIGHUP')
    await this.#read
    this.#folder.remove()
  }

  async #listen(stdout: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of stdout) this.said += decoder.decode(chunk, { stream: true })
  }

  #enter(line: string): void {
    this.#shell.stdin.write(`${line}\n`)
    this.#shell.stdin.flush()
  }

  /** Command by command where one needs what another has printed. */
  async #type(block: Block): Promise<void> {
    this.#last = ''
    for (const commands of block.text.split(/(?<!\\)\n(?=.*_…)/)) {
      this.#last += await this.run(await this.#filled(commands), whereOf(block))
    }
  }

  async #write(block: Block): Promise<void> {
    const folder = (await this.run('pwd')).trim()
    const path = join(folder, block.marks.file ?? '')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, this.#atFreePorts(block.text))
  }

  /** Where a block will listen only later nobody else does until then: other tests ask for free ports, too. */
  #hold(name: string | undefined): void {
    if (name === undefined || this.#held.has(name)) return
    const port = this.#ports[name as Port]
    this.#held.set(name, Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }))
  }

  /** Starts what goes on running, and waits until it listens. */
  async #serve(block: Block): Promise<void> {
    const port = this.#ports[block.marks.serve as Port]
    this.#held.get(block.marks.serve ?? '')?.stop(true)
    const log = join(this.#folder.path, `service-${this.#services.length}.log`)
    // A process group of its own, but only this: with job control a shell takes a command that is paused for one that has ended.
    const group = await this.run(`set -m\n(\n${await this.#filled(block.text)}) > '${log}' 2>&1 &\necho $!\nset +m`)
    const service = { group: Number(group), log }
    this.#services.push(service)
    const output = () => Bun.file(log).text()
    await until(() => answers(port), `${whereOf(block)} to answer`).catch(async (error) => {
      throw new Error(`${error.message}:\n${await output()}`)
    })
    this.#last = await output()
  }

  #compare(block: Block): void {
    const parts = this.#atFreePorts(block.text).trim().split('…')
    // Between quotes it stands for one value, so that a field which is missing is seen.
    const left = (n: number) => (parts[n]?.endsWith('"') && parts[n + 1]?.startsWith('"') ? '[^"]*' : '[^]*?')
    const pattern = parts.map((part, n) => RegExp.escape(part) + (n + 1 < parts.length ? left(n) : '')).join('')
    const isSo = new RegExp(`^${pattern}$`).test(this.#last.trim())
    if (!isSo) throw new Error(`${whereOf(block)} says that this is printed:\n${block.text}\nThis is:\n${this.#last}`)
  }

  /** With the reader's own values where the page has only how they begin: `sk_test_…`. */
  async #filled(page: string): Promise<string> {
    let text = this.#atFreePorts(page)
    for (const [shown, prefix = ''] of text.matchAll(/\b((?:[a-z]+_)+)…/g))
      text = text.replace(shown, await this.printed(prefix))
    return text
  }

  #atFreePorts = (text: string) =>
    text.replace(new RegExp(`\\b(?:${PORTS.join('|')})\\b`, 'g'), (port) => String(this.#ports[port as Port]))
}

const whereOf = ({ page, line }: Block) => `${page}:${line}`

const freePorts = (): Record<Port, number> =>
  Object.fromEntries(PORTS.map((name) => [name, freePort()])) as Record<Port, number>

/** An answer, not a connection: Vite listens at its port for a moment only to see whether that is free. */
const answers = (port: number): Promise<boolean> =>
  fetch(`http://localhost:${port}/`).then(
    () => true,
    () => false,
  )

/** A job of the shell is a process group of its own. */
function kill(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
