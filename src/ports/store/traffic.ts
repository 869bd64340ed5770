/** Traffic of live codes by segment, decisions of rules, and incidents. */

import type { TrafficHour } from '../../abuse/rules/baseline'
import type { Incident } from '../../abuse/rules/incident'
import type { Rule } from '../../abuse/rules/rule'
import type { CallerKind } from '../../domain/access/caller'
import type { DeliveryStatus } from '../../domain/message/message'
import type { VerificationStatus } from '../../domain/shared/addressed'

/** A segment: an app's codes for one country, issued by one kind of key. */
export interface SegmentKey {
  readonly kind: CallerKind
  readonly country: string
}

export type SegmentHour = SegmentKey & TrafficHour

/** The columns of an issue that traffic is counted by; undefined hashes were not stored. */
export interface IssueTrafficRow {
  readonly issueId: string
  readonly keyKind: CallerKind
  readonly country: string | undefined
  readonly prefixHash: Uint8Array | undefined
  readonly networkHash: Uint8Array | undefined
  readonly phoneHash: Uint8Array
  readonly createdAt: number
  readonly verifiedAt?: number | undefined
  /** Undefined where nobody tells whether its code is typed. */
  readonly verificationStatus?: VerificationStatus | undefined
  readonly deliveryStatus: DeliveryStatus
  readonly price: number
  /** Messages that its carriers took, or may have taken. Undefined: one. */
  readonly messages?: number
}

/** How often a rule was against codes of one place in one minute. */
export interface Decision extends SegmentKey {
  readonly appId: string
  /** Start of the minute, Unix milliseconds. */
  readonly minute: number
  readonly rule: Rule
  /** False: the rule is only watched. */
  readonly isRefused: boolean
  /** Empty: of several places, or unknown. */
  readonly prefixHash: Uint8Array
  readonly networkHash: Uint8Array
  readonly times: number
  /** Credits that the codes cost or would have cost. */
  readonly credits: number
}

/** The counters of an app's traffic as text, with keyed hashes of prefixes and networks. */
export interface TrafficSnapshot {
  readonly appId: string
  /** Unix milliseconds. */
  readonly madeAt: number
  readonly state: string
}

export interface TrafficTx {
  /** Replaces the snapshot of the app. */
  saveSnapshot(snapshot: TrafficSnapshot): Promise<void>
  /** Replaces what was stored of each hour. */
  saveHours(appId: string, hours: readonly SegmentHour[]): Promise<void>
  /** Adds to what is stored of the same minute. */
  addDecisions(decisions: readonly Decision[]): Promise<void>
  /** Locks the open incident of a segment, also where there is none yet. */
  lockIncident(appId: string, segment: SegmentKey): Promise<Incident | undefined>
  /** Stores a new incident, or the changeable fields of one. */
  saveIncident(incident: Incident): Promise<void>
  /** Locks any incident by its id. */
  lockIncidentById(incidentId: string): Promise<Incident | undefined>
}

/** All issues, the verified ones, or those verified late: after they were judged. */
export type CountedIssues = 'all' | 'verified' | 'late'

export interface TrafficReader {
  /**
   * Live issues of an app made from `from` on and before `to`, ordered by id, in pages.
   */
  issues(appId: string, from: number, to: number, which: CountedIssues): AsyncIterable<IssueTrafficRow[]>
  /** When the `nth` newest of them from `from` on was made, counted from 0; undefined where there are fewer. */
  nthNewest(appId: string, from: number, nth: number): Promise<number | undefined>
  /** Undefined where there is none, or none that can be decrypted. */
  snapshot(appId: string): Promise<TrafficSnapshot | undefined>
  /** At most `limit` apps that issued live codes since `from`. */
  appsSince(from: number, limit: number): Promise<string[]>
  /** Hours that began since a time. */
  hours(appId: string, since: number): Promise<SegmentHour[]>
  openIncidents(appId: string): Promise<Incident[]>
  /** Open incidents of every app. */
  allOpenIncidents(): Promise<Incident[]>
  incident(incidentId: string): Promise<Incident | undefined>
}

/** Lists for owners, in pages. */
export interface TrafficLists {
  /** Decisions from `from` on and before `to`, oldest first. */
  decisions(appId: string, from: number, to: number): AsyncIterable<Decision[]>
  /** Traffic of the hours that begin from `from` on and before `to`, oldest first. */
  sent(appId: string, from: number, to: number): AsyncIterable<SegmentHour[]>
  /** Open incidents of an app, or of all; newest first. */
  open(bounds: { appId?: string | undefined; limit: number }): Promise<Incident[]>
  /** Ended incidents of an app, newest first; `before`: only older ones. */
  ended(appId: string, bounds: EndedBounds): Promise<Incident[]>
}

export interface EndedBounds {
  before?: Pick<Incident, 'since' | 'incidentId'> | undefined
  limit: number
}
