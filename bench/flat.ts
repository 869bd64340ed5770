import type { Generator } from './processes'
import type { Part } from './report'
export async function flat(_dir: string, _generator: Generator, _o: object = {}): Promise<Part> {
  throw new Error('soon')
}
