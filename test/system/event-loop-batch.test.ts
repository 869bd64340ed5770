/** In which order a turn of the event loop is gone through. */
import { beforeEach, expect, spyOn, test } from 'bun:test'
import { createEventLoopBatch, type EventLoopBatch } from '../../src/system/event-loop-batch'

let turn: EventLoopBatch
let happened: string[]

const note = (what: string) => void happened.push(what)
/** Goes on in some steps that wait for nothing, and has something to store then. */
async function arrive(name: string): Promise<void> {
  await turn.join()
  note(`${name} begins`)
  await undefined
  note(`${name} goes on`)
  turn.runAfter(() => note(`${name} is stored`))
}
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

beforeEach(() => {
  turn = createEventLoopBatch()
  happened = []
})

test('what has arrived is gone on with together, and stored together behind that, in the same turn', async () => {
  const all = [arrive('one'), arrive('two')]
  setImmediate(() => note('the next turn'))
  expect(happened).toEqual([])
  await Promise.all(all)
  await nextTurn()
  expect(happened).toEqual([
    'one begins',
    'two begins',
    'one goes on',
    'two goes on',
    'one is stored',
    'two is stored',
    'the next turn',
  ])
})

test('what is to be stored waits for what has arrived, also where it was there first', async () => {
  turn.runAfter(() => note('the first is stored'))
  await arrive('two')
  await nextTurn()
  expect(happened).toEqual(['two begins', 'two goes on', 'the first is stored', 'two is stored'])
})

test('what arrives while a turn is gone through is not forgotten: it belongs to the next', async () => {
  await turn.join()
  const later = arrive('during the first part')
  turn.runAfter(() => {
    note('stored')
    void arrive('during the second part')
    turn.runAfter(() => note('stored later'))
  })
  await nextTurn()
  expect(happened).toEqual(['stored'])
  await later
  await nextTurn()
  await nextTurn()
  expect(happened.filter((what) => /begins|stored/.test(what))).toEqual([
    'stored',
    'during the first part begins',
    'during the second part begins',
    'stored later',
    'during the first part is stored',
    'during the second part is stored',
  ])
})

test('what is to be stored because something was stored is stored in the next turn, also where nothing arrives', async () => {
  turn.runAfter(() => turn.runAfter(() => note('stored later')))
  await nextTurn()
  expect(happened).toEqual([])
  await nextTurn()
  expect(happened).toEqual(['stored later'])
})

test('a defect in one work keeps nobody from his, and is thrown behind them', async () => {
  const thrown: Array<() => void> = []
  using _ = spyOn(globalThis, 'queueMicrotask').mockImplementation((callback) => void thrown.push(callback))
  turn.runAfter(() => {
    throw new Error('a defect')
  })
  turn.runAfter(() => note('the other'))
  await nextTurn()
  expect(happened).toEqual(['the other'])
  expect(thrown).toHaveLength(1)
  expect(thrown[0]).toThrow('a defect')
})
