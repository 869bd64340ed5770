/** Programs of this machine that listen on a port. */
import { freePort } from '../../test/support/free-port'
import { endingWithUs, listens } from '../../test/support/postgres'
import type { Service } from '../processes'

/** Its path, where the machine has it under any of these names. */
export const programNamed = (...names: string[]): string | undefined =>
  names.map((name) => Bun.which(name)).find((path) => path !== null) ?? undefined

export interface Command {
  args?: string[]
  env?: Record<string, string>
}

/** Who is told the port, and is waited for until it listens there. */
export async function startProgram(path: string, commandFor: (port: number) => Command): Promise<Service> {
  const port = freePort()
  const { args = [], env = {} } = commandFor(port)
  const child = Bun.spawn([...endingWithUs('KILL', [path, ...args])], {
    env: { PATH: process.env.PATH ?? '', ...env },
    // A log goes to a pipe or a file where this runs for real; here nobody reads it.
    stdio: ['ignore', Bun.file('/dev/null'), Bun.file('/dev/null')],
  })
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`${path} ended without listening`)
    await Bun.sleep(25)
  }
  const stop = async () => {
    child.kill('SIGKILL')
    await child.exited
  }
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, stop }
}
