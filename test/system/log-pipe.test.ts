/** The log where its reader does not read. */
import { expect, test } from 'bun:test'
import { LogPipe } from '../../src/system/log-pipe'

/** A reader who takes a piece when he is asked to. */
class Reader {
  read = ''
  readonly #takes: Array<() => void> = []

  write(piece: string): Promise<number> {
    return new Promise((resolve) => {
      this.#takes.push(() => {
        this.read += piece
        resolve(piece.length)
      })
    })
  }

  flush = () => 0

  async take(): Promise<boolean> {
    const take = this.#takes.shift()
    take?.()
    await new Promise(setImmediate)
    return take !== undefined
  }

  async takeAll(): Promise<string[]> {
    while (await this.take());
    return this.read.split(/(?<=\n)/)
  }
}

const line = (level: string, n: number, length = 0) => `{"level":"${level}","n":${n},"text":"${'x'.repeat(length)}"}\n`

test('what waits is written in its order as soon as somebody reads', async () => {
  const reader = new Reader()
  const pipe = new LogPipe(reader, () => expect.unreachable())
  const lines = Array.from({ length: 3_000 }, (_, n) => line('info', n, 100))
  for (const each of lines) pipe.write(each)
  expect(reader.read).toBe('')
  expect(await reader.takeAll()).toEqual(lines)
})

test('a reader who fell behind gets all warnings, and the number of lines that are lost', async () => {
  const reader = new Reader()
  const pipe = new LogPipe(reader, (lost) => pipe.write(`${lost} are lost\n`))
  const ROUTINE = 20_000
  for (let n = 0; n < ROUTINE; n++) pipe.write(line('info', n, 1_000))
  // Of one turn.
  pipe.write(line('debug', 1) + line('warn', 2) + line('info', 3, 1_000) + line('error', 4))
  const lines = await reader.takeAll()
  const routine = lines.filter((one) => /"(info|debug)"/.test(one))
  expect(lines.reduce((sum, { length }) => sum + length, 0)).toBeWithin(15_000_000, 16_100_000)
  expect(lines.filter((one) => /"(warn|error)"/.test(one))).toEqual([line('warn', 2), line('error', 4)])
  expect(lines.filter((one) => one.endsWith('lost\n'))).toEqual([`${ROUTINE + 2 - routine.length} are lost\n`])
})

test('nor do warnings and errors wait without end', async () => {
  const reader = new Reader()
  const lost: number[] = []
  const pipe = new LogPipe(reader, (lines) => lost.push(lines))
  const ERRORS = 20_000
  for (let n = 0; n < ERRORS; n++) pipe.write(line('error', n, 1_000))
  const { length } = await reader.takeAll()
  expect(reader.read.length).toBeWithin(16_000_000, 17_100_000)
  expect(lost).toEqual([ERRORS - length])
})

test.each([
  ['rejects', () => Promise.reject(new Error('EPIPE'))],
  [
    'throws',
    () => {
      throw new Error('EPIPE')
    },
  ],
])(
  'a reader who has ended, so that writing %s, is nobody’s loss, and one who comes back reads on',
  async (_, failing) => {
    let isThere = false
    let read = ''
    const pipe = new LogPipe(
      {
        write(piece) {
          if (isThere) read += String(piece)
          return 1
        },
        flush: () => (isThere ? 0 : failing()),
      },
      () => expect.unreachable(),
    )
    pipe.write(line('info', 1))
    await pipe.end()
    isThere = true
    pipe.write(line('info', 2))
    await pipe.end()
    expect(read).toBe(line('info', 2))
  },
)
