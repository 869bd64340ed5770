/** The one file that is released: built once, started alone in a folder of its own with an empty environment. */
import { constants, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, type Program, ROOT, run } from './support'

/** Builds it as a release does, and answers where it lies. */
export async function compile(): Promise<string> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
  const { exitCode, stderr } = await run({ command: [process.execPath, 'run', 'build'], cwd: ROOT, env })
  if (exitCode !== 0) throw new Error(stderr)
  return join(ROOT, 'dist/watchword')
}

/** The binary in an empty folder, and how to be rid of both. */
export function alone(binary: string, env: Record<string, string> = {}): { program: Program; remove: () => void } {
  const { path, remove } = newFolder()
  copyFileSync(binary, join(path, 'watchword'), constants.COPYFILE_FICLONE)
  return { program: { command: ['./watchword'], cwd: path, env }, remove }
}

/** The binary, built when it is first asked for, started in a folder. */
export async function released(cwd: string, env: Record<string, string> = {}): Promise<Program> {
  built ??= compile()
  return { command: [await built], cwd, env }
}

let built: Promise<string> | undefined
