/** The one file that is released: built once, started alone in a folder of its own with an empty environment. */
import { copyFileSync, linkSync } from 'node:fs'
import { join } from 'node:path'
import { BUILT, isBuilt, newFolder, type Program, ROOT, run } from './support'

/** Builds it as a release does, once, and answers where it lies. */
export function compile(): Promise<string> {
  built ??= builtForThisRun() ?? build()
  return built
}

let built: Promise<string> | undefined

function builtForThisRun(): Promise<string> | undefined {
  const file = process.env[BUILT]
  return file ? isBuilt([file]).then(() => file) : undefined
}

async function build(): Promise<string> {
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
  place(binary, join(path, 'watchword'))
  return { program: { command: ['./watchword'], cwd: path, env }, remove }
}

/** A second name of the file costs nothing; on another file-system it has to be a copy. */
function place(binary: string, file: string): void {
  try {
    linkSync(binary, file)
  } catch {
    copyFileSync(binary, file)
  }
}

/** The binary, started in a folder. */
export const released = async (cwd: string, env: Record<string, string> = {}): Promise<Program> => ({
  command: [await compile()],
  cwd,
  env,
})
