/** What becomes of live codes, by where they go; what rules were against; incidents. */

import type { TrafficHour } from '../../abuse/rules/baseline'
import type { Incident } from '../../abuse/rules/incident'
import type { Rule } from '../../abuse/rules/rule'
import type { KeyKind } from '../../domain/access/api-key'
import type { DeliveryStatus } from '../../domain/codes/issue'

/** An app's codes for a country, by the kind of key that issued them. */
export interface SegmentKey {
  readonly kind: KeyKind
  readonly country: string
}

export type SegmentHour = SegmentKey & TrafficHour

/** What is looked at of an issue; empty hashes were not noted. */
export interface IssueTrafficRow {
  readonly issueId: string
  readonly keyKind: KeyKind
  readonly country: string | undefined
  readonly prefixHash: Uint8Array | undefined
  readonly networkHash: Uint8Array | undefined
  readonly phoneHash: Uint8Array
  readonly createdAt: number
  readonly verifiedAt: number | undefined
  readonly deliveryStatus: DeliveryStatus
  readonly price: number
}

/** How often in a minute a rule was against something. */
export interface Decision extends SegmentKey {
  readonly appId: string
  /** When it begins, Unix milliseconds. */
  readonly minute: number
  readonly rule: Rule
  /** Otherwise it would have been. */
  readonly isRefused: boolean
  /** Empty: of several, or not known. */
  readonly prefixHash: Uint8Array
  readonly networkHash: Uint8Array
  readonly times: number
  /** What it would have cost. */
  readonly credits: number
}

/** What a server knew of an app's traffic, as text; it has hashes of prefixes and networks in it. */
export interface TrafficSnapshot {
  readonly appId: string
  /** Unix milliseconds. */
  readonly madeAt: number
  readonly state: string
}

export interface TrafficTx {
  /** Instead of the one before. */
  saveSnapshot(snapshot: TrafficSnapshot): Promise<void>
  /** Each is stored as it is, whatever was stored of that hour before. */
  saveHours(appId: string, hours: readonly SegmentHour[]): Promise<void>
  /** Adds up with what is stored of the same minute. */
  addDecisions(decisions: readonly Decision[]): Promise<void>
  /** The open one; where there is none, nobody else opens one until this ends. */
  lockIncident(appId: string, segment: SegmentKey): Promise<Incident | undefined>
  /** Stores a new one, or what may change of one. */
  saveIncident(incident: Incident): Promise<void>
  /** Any, by its id. */
  lockIncidentById(incidentId: string): Promise<Incident | undefined>
  /** One of which the operator is to be told now; another server that asks does not get it. */
  lockToNotify(): Promise<Incident | undefined>
}

/** All issues, those that were verified, or those that were verified when they had been judged. */
export type CountedIssues = 'all' | 'verified' | 'late'

export interface TrafficReader {
  /**
   * Live issues of an app made from `from` on and before `to`, in the order of their ids; others get their turn between the pages.
   */
  issues(appId: string, from: number, to: number, which: CountedIssues): AsyncIterable<IssueTrafficRow[]>
  /** Undefined where there is none, or none that can be opened. */
  snapshot(appId: string): Promise<TrafficSnapshot | undefined>
  /** Apps that have made live issues from then on, of which there are at most so many. */
  appsSince(from: number, limit: number): Promise<string[]>
  /** Hours that began since. */
  hours(appId: string, since: number): Promise<SegmentHour[]>
  openIncidents(appId: string): Promise<Incident[]>
  /** Of every app. */
  allOpenIncidents(): Promise<Incident[]>
  incident(incidentId: string): Promise<Incident | undefined>
  /** Whether there is an incident of which the operator is to be told by then, Unix milliseconds. */
  hasToNotify(now: number): Promise<boolean>
}

/** What owners look at; others get their turn between the pages. */
export interface TrafficLists {
  /** What rules were against from `from` on and before `to`, in the order of time. */
  decisions(appId: string, from: number, to: number): AsyncIterable<Decision[]>
  /** What was sent in the hours that begin there, in the order of time. */
  sent(appId: string, from: number, to: number): AsyncIterable<SegmentHour[]>
  /** Of an app, or of all; the newest first. */
  open(bounds: { appId?: string | undefined; limit: number }): Promise<Incident[]>
  /** Those of an app that are over, the newest first; `before`: those behind that one. */
  ended(appId: string, bounds: EndedBounds): Promise<Incident[]>
}

export interface EndedBounds {
  before?: Pick<Incident, 'since' | 'incidentId'> | undefined
  limit: number
}
