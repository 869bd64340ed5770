import type { Generator } from './processes'
import type { Part } from './report'
export async function footprint(_dir: string, _generator: Generator, _o: object = {}): Promise<Part> {
  throw new Error('soon')
}
