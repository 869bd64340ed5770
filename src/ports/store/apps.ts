/** Settings that rarely change: apps, API keys, challenges, templates, carriers and routes. Also the health of carriers. */

import type { ChallengeSettings } from '../../abuse/rules/challenge'
import type { Allowance, StoredKey } from '../../domain/access/api-key'
import type { App } from '../../domain/access/app'
import type { CarrierConfig, Health } from '../../domain/delivery/carrier'
import type { ReportTally } from '../../domain/delivery/report-tally'
import type { Route } from '../../domain/delivery/route'
import type { Template, TemplateVersion } from '../../domain/message/template'

export interface AppTx {
  /** The id of the installation's organization; `first` is stored where there is none. */
  organizationId(first: { organizationId: string; name: string }): Promise<string>
  /**
   * Locks an app with its keys and templates, so that limits on their number hold. Undefined once the app was removed.
   */
  lock(appId: string): Promise<App | undefined>
  add(app: App): Promise<void>
  /** Stores the changeable fields of an app. */
  save(app: App): Promise<void>
  remove(appId: string): Promise<void>
}

export interface AppReader {
  /** Without those that were removed. */
  all(): Promise<App[]>
  /** Those that are there, in the order of `all`, after this one. */
  page(after: string | undefined, limit: number): Promise<App[]>
  withRemoved(): Promise<App[]>
  /** Undefined once it was removed. */
  find(appId: string): Promise<App | undefined>
}

/** The app must be locked. */
export interface ChallengeTx {
  find(appId: string): Promise<ChallengeSettings | undefined>
  save(appId: string, settings: ChallengeSettings): Promise<void>
  /** False where there was no such row. */
  remove(appId: string): Promise<boolean>
}

export interface ChallengeReader {
  find(appId: string): Promise<ChallengeSettings | undefined>
}

/** The app must be locked. */
export interface TemplateTx {
  /** The newest version of an app's own template; undefined where there is none. */
  find(appId: string, templateId: string): Promise<Template | undefined>
  /** Stores a new version, and deletes those before the newest `VERSIONS_KEPT`. The app must be locked. */
  save(appId: string, template: Template, savedBy: string): Promise<void>
  /** Removes every version; false where there was none. */
  remove(appId: string, templateId: string): Promise<boolean>
}

export interface TemplateReader {
  /** The app's own templates, newest version each. */
  ofApp(appId: string): Promise<Template[]>
  /** The newest first. */
  versions(appId: string, templateId: string): Promise<TemplateVersion[]>
}

export interface CarrierTx {
  /** Locks the name until the transaction ends, also where no such carrier exists. */
  lock(name: string): Promise<CarrierConfig | undefined>
  /** A pause outlives it; its health, and what came of its reports, are forgotten. */
  save(carrier: CarrierConfig): Promise<void>
  /** Stores the pause and the former credentials, and no other change. */
  update(carrier: CarrierConfig): Promise<void>
  remove(name: string): Promise<boolean>
  saveHealth(carrier: string, health: Health): Promise<void>
  /** Called at the start: a process begins with every carrier healthy. */
  forgetHealth(): Promise<void>
  /** Locks what came of its reports until the transaction ends. Undefined where nothing has. */
  lockReports(carrier: string): Promise<ReportTally | undefined>
  saveReports(carrier: string, tally: ReportTally): Promise<void>
}

export interface CarrierReader {
  all(): Promise<CarrierConfig[]>
  /** Last stored health of carriers, by name; one without a row is healthy. */
  health(): Promise<Map<string, Health>>
  /** The results of the reports of carriers, by name. */
  reports(): Promise<Map<string, ReportTally>>
}

export interface RouteTx {
  save(route: Route): Promise<void>
  remove(route: Omit<Route, 'carriers'>): Promise<boolean>
}

export interface RouteReader {
  all(): Promise<Route[]>
}

export interface KeyTx {
  /** Keys of a locked app, revoked and expired ones included. */
  ofApp(appId: string): Promise<StoredKey[]>
  lock(keyId: string): Promise<StoredKey | undefined>
  add(key: StoredKey): Promise<void>
  revoke(keyId: string, at: number): Promise<void>
  expire(keyId: string, at: number): Promise<void>
  /** Stores the allowances of a live browser key. */
  allow(keyId: string, allows: readonly Allowance[]): Promise<void>
  /** When keys were last used. */
  touch(usedAt: ReadonlyMap<string, number>): Promise<void>
}

export interface KeyReader {
  /** Undefined where the app was removed. */
  findByHash(hash: Uint8Array): Promise<StoredKey | undefined>
  find(keyId: string): Promise<StoredKey | undefined>
  ofApp(appId: string): Promise<StoredKey[]>
  /** Every origin a public key lists, and when the last of these keys ends. */
  publicOrigins(): Promise<Map<string, number>>
}
