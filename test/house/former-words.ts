/** Words that only this house knew, each with the field's word that is used instead. */
export const FORMER_NAMES: Readonly<Record<string, string>> = {
  ...{ Claim: 'IdempotencyRecord', RecentClaims: 'ReplayCache', Letter: 'RenderedMessage', Sparing: 'LogSampler' },
  ...{ Mishap: 'DeliveryProblem', Wish: 'RequestFacts', Sought: 'Buckets', Presence: 'InFlight' },
  ...{ Entrant: 'PendingRequest', Lane: 'TrafficSegment or JobWorker', Seats: 'CarrierSlots' },
  ...{ Departure: 'ReservedDelivery', Begun: 'StartedDelivery', depart: 'startDelivery', Tally: 'TrafficCounter' },
  ...{ Fate: 'CodeResult', Usual: 'Baseline', Suspicion: 'SequentialTest', Typing: 'EarlyConversionTest' },
  ...{ Shelf: 'ReadCache', Visit: 'RequestContext', enter: 'authenticate', makeWay: 'markReplaced' },
  ...{ noteChange: 'writeAudit', tellEvents: 'emitEvents', alone: 'singleNode', several: 'cluster' },
  ...{ Trouble: 'IncidentUpdate', Whereabouts: 'Buckets', WayThere: 'SegmentView', Surroundings: 'AssessmentContext' },
  ...{ LaneHour: 'SegmentHour', Gates: 'ConcurrencyLimiters', Seat: 'CarrierSlot', Passage: 'CarrierReservation' },
  ...{ COME_BACK_MS: 'RETRY_AFTER_MS', Breaker: 'CircuitBreaker', InTime: 'AgeScheduler' },
}

/** Those of them that prose used as well, where they are no plain English: a pattern, and the field's word. */
export const FORMER_WORDS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\blanes?\b/i, 'traffic segment, or job worker'],
  [/\bseats?\b/i, 'slot'],
  [/\bmishaps?\b/i, 'delivery problem'],
  [/\btall(?:y|ies)\b/i, 'counter'],
  [/\bshel(?:f|ves)\b/i, 'cache'],
  [/\bsparing\b/i, 'sampling'],
]
