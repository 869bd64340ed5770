/** A copy of the repository to break: mutants are written and run there, never where somebody works. */
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { spawn } from 'bun'
import { EVIDENCE } from '../support/evidence'

const LEFT_BEHIND = ['node_modules', '.git', 'dist', 'watchword-data']

export interface Outcome {
  exitCode: number
  stderr: string
  /** Had to be ended. */
  isHung: boolean
  ms: number
}

export class Copy {
  readonly path = mkdtempSync(join(tmpdir(), 'watchword-mutate-'))

  constructor(root: string) {
    cpSync(root, this.path, { recursive: true, filter: (path) => !LEFT_BEHIND.includes(basename(path)) })
    symlinkSync(join(root, 'node_modules'), join(this.path, 'node_modules'))
  }

  /** Answers what stood there. */
  async replace(path: string, text: string): Promise<string> {
    const before = await Bun.file(join(this.path, path)).text()
    await Bun.write(join(this.path, path), text)
    return before
  }

  /** `bun …` in the copy. */
  async run(args: readonly string[], boundMs: number): Promise<Outcome> {
    const began = performance.now()
    const run = spawn([process.execPath, ...args], {
      cwd: this.path,
      // What a broken copy has seen is no evidence.
      env: { ...process.env, [EVIDENCE]: undefined },
      stdout: 'ignore',
      stderr: 'pipe',
      timeout: Math.ceil(boundMs),
      killSignal: 'SIGKILL',
    })
    const stderr = await new Response(run.stderr).text()
    const exitCode = await run.exited
    return { exitCode, stderr, isHung: run.signalCode === 'SIGKILL', ms: performance.now() - began }
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
