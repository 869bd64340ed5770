/** Of whose limits the doctor speaks: the server's on this machine, or those a server would have that is started like this command. */
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config'
import { conditionOf } from '../../domain/operations/node'
import type { Reader } from '../../ports/store'
import { LOCK_FILE } from '../../system/data-dir-lock'
import { lockHolderOf, type MachineLimits, machineLimitsOf } from '../../system/machine-limits'

export interface Examinee {
  /** How a sentence about it begins. */
  name: string
  box: MachineLimits
}

export async function examineeOf(config: Config, read: Reader, now: number): Promise<Examinee> {
  const pid = config.database ? await nodeHere(read, now) : lockHolderOf(join(config.dataDir, LOCK_FILE))
  return pid === undefined
    ? { name: 'A server started like this command', box: machineLimitsOf(process.pid) }
    : { name: `The server (process ${pid})`, box: machineLimitsOf(pid) }
}

/** A server's name is its machine's and its process's. */
async function nodeHere(read: Reader, now: number): Promise<number | undefined> {
  const here = (await read.nodes()).find(
    (node) => conditionOf(node, now) !== 'silent' && node.name.startsWith(`${hostname()}:`),
  )
  return here && Number(here.name.slice(hostname().length + 1))
}
