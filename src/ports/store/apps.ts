/** Apps and what rarely changes around them: challenges, templates, carriers and routes. And how carriers are. */

import type { ChallengeSettings } from '../../abuse/rules/challenge'
import type { Allowance, StoredKey } from '../../domain/access/api-key'
import type { App } from '../../domain/access/app'
import type { CarrierConfig, Health } from '../../domain/delivery/carrier'
import type { Route } from '../../domain/delivery/route'
import type { Template } from '../../domain/message/template'

export interface AppTx {
  /** The installation's organization; `first` becomes it where there is none. */
  organizationId(first: { organizationId: string; name: string }): Promise<string>
  /**
   * Undefined once it was removed. Until this ends nobody else changes the app, its keys and its templates, or adds to
   * what belongs to it: limits of how much that may be hold.
   */
  lock(appId: string): Promise<App | undefined>
  add(app: App): Promise<void>
  /** Stores what may change of an app: its name, its region and what is decided about it. */
  save(app: App): Promise<void>
  remove(appId: string): Promise<void>
}

export interface AppReader {
  /** Without those that were removed. */
  all(): Promise<App[]>
  withRemoved(): Promise<App[]>
  /** Undefined once it was removed. */
  find(appId: string): Promise<App | undefined>
}

/** Of apps that are locked. */
export interface ChallengeTx {
  find(appId: string): Promise<ChallengeSettings | undefined>
  save(appId: string, settings: ChallengeSettings): Promise<void>
  /** False where there was none. */
  remove(appId: string): Promise<boolean>
}

export interface ChallengeReader {
  find(appId: string): Promise<ChallengeSettings | undefined>
}

export interface TemplateTx {
  /** The newest version of an app's own template; undefined where there is none. */
  find(appId: string, templateId: string): Promise<Template | undefined>
  /** A new version, of an app that is locked. */
  save(appId: string, template: Template): Promise<void>
  /** With every version of it; false where there was none. */
  remove(appId: string, templateId: string): Promise<boolean>
}

export interface TemplateReader {
  /** The app's own templates, newest version each. */
  ofApp(appId: string): Promise<Template[]>
}

export interface CarrierTx {
  /** Until this ends nobody else changes or removes it, nor makes one of that name. */
  lock(name: string): Promise<CarrierConfig | undefined>
  save(carrier: CarrierConfig): Promise<void>
  remove(name: string): Promise<boolean>
  saveHealth(carrier: string, health: Health): Promise<void>
  /** A process begins with every carrier healthy. */
  forgetHealth(): Promise<void>
}

export interface CarrierReader {
  all(): Promise<CarrierConfig[]>
  /** What the running server last found of carriers, by name; one without a row is healthy. */
  health(): Promise<Map<string, Health>>
}

export interface RouteTx {
  save(route: Route): Promise<void>
  remove(route: Omit<Route, 'carriers'>): Promise<boolean>
}

export interface RouteReader {
  all(): Promise<Route[]>
}

export interface KeyTx {
  /** Of an app that is locked, also those that have ended. */
  ofApp(appId: string): Promise<StoredKey[]>
  lock(keyId: string): Promise<StoredKey | undefined>
  add(key: StoredKey): Promise<void>
  revoke(keyId: string, at: number): Promise<void>
  expire(keyId: string, at: number): Promise<void>
  /** What a live browser key may do beyond the usual. */
  allow(keyId: string, allows: readonly Allowance[]): Promise<void>
  /** When keys were last used. */
  touch(usedAt: ReadonlyMap<string, number>): Promise<void>
}

export interface KeyReader {
  /** Not of a removed app. */
  findByHash(hash: Uint8Array): Promise<StoredKey | undefined>
  find(keyId: string): Promise<StoredKey | undefined>
  ofApp(appId: string): Promise<StoredKey[]>
  /** Every origin a public key lists, and when the last of these keys ends. */
  publicOrigins(): Promise<Map<string, number>>
}
