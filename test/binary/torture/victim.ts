/** One process of the server, that may be killed at any moment. */
import { closeSync, openSync } from 'node:fs'
import type { Subprocess } from 'bun'
import { until } from '../../support/until'
import type { Program } from '../support'

export class Victim {
  readonly startedAt = performance.now()
  url: string | undefined
  #stdout = ''

  private constructor(private readonly child: Subprocess<'ignore', 'pipe', number>) {
    void this.#read()
  }

  /** Answers at once: it may be killed before it listens. */
  static spawn({ command, cwd, env = {} }: Program, log: string): Victim {
    const stderr = openSync(log, 'a')
    const child = Bun.spawn([...command, 'serve', '--port', '0'], { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr })
    closeSync(stderr)
    return new Victim(child)
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  async listening(): Promise<void> {
    await until(() => this.url !== undefined || !this.isAlive, 'the server to listen')
    if (!this.isAlive)
      throw new Error(`the server ended by itself, with ${this.child.exitCode ?? this.child.signalCode}`)
  }

  /** Its exit code, once it has one; null where a signal ended it. */
  async ended(): Promise<number | null> {
    await this.child.exited
    return this.child.exitCode
  }

  stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal)
    return this.ended()
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of this.child.stdout) {
      this.#stdout += decoder.decode(chunk, { stream: true })
      if (this.#stdout.includes('\n')) this.url ??= JSON.parse(this.#stdout.split('\n')[0] ?? '').url
    }
  }
}
