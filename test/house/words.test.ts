/** One thing, one word: a type name is declared once, and words that only this house knew do not come back. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '../..')
const files = ['src', 'contract'].flatMap((folder) =>
  [...new Glob('**/*.{ts,tsx}').scanSync(join(ROOT, folder))].map((name) => `${folder}/${name}`),
)
const sources = await Promise.all(files.map(async (name) => ({ name, text: await Bun.file(join(ROOT, name)).text() })))

const TYPE = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm
const DECLARED = /^(?:export )?(?:async )?(?:abstract )?(?:interface|type|class|enum|function|const) (\w+)/gm

const declaredBy = (pattern: RegExp) =>
  sources.flatMap(({ name, text }) => [...text.matchAll(pattern)].map(([, word = '']) => ({ word, name })))

test('a type name is declared in one file only', () => {
  const places = Map.groupBy(declaredBy(TYPE), ({ word }) => word)
  const several = [...places].flatMap(([word, found]) => {
    const names = new Set(found.map(({ name }) => name))
    return names.size > 1 ? [`${word}: ${[...names].join(', ')}`] : []
  })
  expect(several).toEqual([])
})

/** Each with the field's word that is used instead. */
const FORMER: Readonly<Record<string, string>> = {
  ...{ Claim: 'IdempotencyRecord', RecentClaims: 'ReplayCache', Letter: 'RenderedMessage', Sparing: 'LogSampler' },
  ...{ Mishap: 'DeliveryProblem', Wish: 'RequestFacts', Sought: 'Buckets', Presence: 'InFlight' },
  ...{ Entrant: 'PendingRequest', Lane: 'TrafficSegment or JobWorker', Seats: 'CarrierSlots' },
  ...{ Departure: 'ReservedDelivery', Begun: 'StartedDelivery', depart: 'startDelivery', Tally: 'TrafficCounter' },
  ...{ Fate: 'CodeResult', Usual: 'Baseline', Suspicion: 'SequentialTest', Typing: 'EarlyConversionTest' },
  ...{ Shelf: 'ReadCache', Visit: 'RequestContext', enter: 'authenticate', makeWay: 'markReplaced' },
  ...{ noteChange: 'writeAudit', tellEvents: 'emitEvents', alone: 'singleNode', several: 'cluster' },
  ...{ COME_BACK_MS: 'RETRY_AFTER_MS', Breaker: 'CircuitBreaker', InTime: 'AgeScheduler' },
}

test('a word that only this house knew does not come back', () => {
  const back = declaredBy(DECLARED).filter(({ word }) => Object.hasOwn(FORMER, word))
  expect(back.map(({ word, name }) => `${name}: ${word}, write ${FORMER[word]}`)).toEqual([])
})
