/** Small changes to a room's code, one at a time, and what the tests say to each. */
import { Copy } from './copy'
import { type Judge, judge, type Verdict } from './judge'
import { type Draw, draw } from './mutant'
import { measure } from './reach'

export interface Mutate extends Draw {
  /** How many copies work side by side. */
  jobs?: number
  tell(line: string): void
}

export async function mutate({ jobs = 1, tell, ...drawn }: Mutate): Promise<Verdict[]> {
  const mutants = draw(drawn)
  const copies = Array.from({ length: jobs }, () => new Copy(drawn.root))
  const verdicts: Verdict[] = []
  const work = async (bench: Judge) => {
    for (let mutant = mutants.shift(); mutant; mutant = mutants.shift()) {
      const verdict = await judge(mutant, bench)
      verdicts.push(verdict)
      tell(told(verdict))
    }
  }
  try {
    const [first] = copies
    const reaches = first ? await measure(first, tell) : []
    await Promise.all(copies.map((copy) => work({ copy, reaches, room: drawn.room })))
  } finally {
    for (const copy of copies) copy.remove()
  }
  return verdicts
}

function told({ mutant: { path, line, diff }, killedBy, ms }: Verdict): string {
  const seconds = `${(ms / 1_000).toFixed(1)} s`
  return killedBy
    ? `killed    ${path}:${line} by ${killedBy} (${seconds})`
    : `SURVIVED  ${path}:${line} (${seconds})\n${diff}\n`
}
