/** Review numbers of an app: reviewers sign in with a fixed code and get no message. Decisions: "Review numbers". */
import type { App } from '../../domain/access/app'
import { liveRecipient, type Numbering } from '../../domain/phone/phone'
import { conflict, invalid, missing } from '../../domain/shared/error'
import { derivedCode } from '../../domain/verification/kept-code'
import {
  REVIEW_DAILY_MAX,
  REVIEW_DAYS,
  REVIEW_NUMBERS_MAX,
  type ReviewNumber,
  reviewEnd,
  reviewKeyName,
} from '../../domain/verification/review-number'
import type { Vault } from '../../ports/vault'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, existingApp, label, lockApp } from './shared'

interface ReviewDependencies extends AdminDependencies {
  vault: Vault
  numbering: Numbering
}

export interface WantedReviewNumber {
  name: string
  phoneNumber: string
  days: number
  dailyMax: number
}

/** A review number with its code, for operators only. */
export interface ShownReviewNumber extends Omit<ReviewNumber, 'phoneHash'> {
  code: string
}

/** Replaces one of the same name. Throws `invalid` or `not_found`. */
export async function addReviewNumber(
  deps: ReviewDependencies,
  appId: string,
  { phoneNumber, days, dailyMax, ...wanted }: WantedReviewNumber,
): Promise<ShownReviewNumber> {
  const name = label(wanted.name, 'name')
  assertWithin('days', days, REVIEW_DAYS)
  assertWithin('dailyMax', dailyMax, REVIEW_DAILY_MAX)
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const numbering = app.region === undefined ? deps.numbering : { ...deps.numbering, region: app.region }
    const phoneHash = deps.vault.phoneHash(liveRecipient(phoneNumber, numbering).identity).toHex()
    const others = othersOf(app, name)
    if (others.length >= REVIEW_NUMBERS_MAX)
      throw invalid('name', 'out_of_range', `at most ${REVIEW_NUMBERS_MAX} review numbers`, {
        min: 0,
        max: REVIEW_NUMBERS_MAX,
      })
    if (others.some((known) => known.phoneHash === phoneHash))
      throw conflict('phoneNumber', 'review_number_taken', 'is a review number of another name')
    const added = { name, phoneHash, dailyMax, createdAt: tx.now, endsAt: reviewEnd(tx.now, days) }
    await tx.apps.save({ ...app, reviewNumbers: [...others, added] })
    await writeAudit(deps, tx, 'review.add', appId, { name, dailyMax, endsAt: added.endsAt })
    return shown(deps, appId, added)
  })
}

/** Throws `not_found`. */
export async function listReviewNumbers(deps: ReviewDependencies, appId: string): Promise<ShownReviewNumber[]> {
  const { reviewNumbers = [] } = await existingApp(deps, appId)
  return reviewNumbers.map((known) => shown(deps, appId, known))
}

/** Throws `not_found`. */
export async function removeReviewNumber(deps: AdminDependencies, appId: string, name: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const others = othersOf(app, name)
    if (others.length === (app.reviewNumbers?.length ?? 0)) throw missing('review number', name)
    await tx.apps.save({ ...app, reviewNumbers: others.length > 0 ? others : undefined })
    await writeAudit(deps, tx, 'review.remove', appId, { name })
  })
}

const othersOf = ({ reviewNumbers = [] }: App, name: string) => reviewNumbers.filter((known) => known.name !== name)

const shown = ({ vault }: ReviewDependencies, appId: string, { phoneHash, ...number }: ReviewNumber) => ({
  ...number,
  code: derivedCode(vault.standingKey(reviewKeyName(appId, { phoneHash }))),
})

function assertWithin(param: string, value: number, { min, max }: { min: number; max: number }): void {
  if (!Number.isInteger(value) || value < min || value > max)
    throw invalid(param, 'out_of_range', `must be a whole number from ${min} to ${max}`, { min, max })
}
