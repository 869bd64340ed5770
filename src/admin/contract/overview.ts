/** The overview of one app or of all: figures beside the time before, and whatever needs attention. */
import { z } from 'zod'
import { RULES } from '../../abuse/rules/rule'
import { allows } from './apps'
import { act, at, mode } from './base'
import { carrierHealth } from './carriers'
import { incident } from './protection'
import { counts } from './usage'
import { endpoint } from './webhooks'

const perApp = z.object({ appId: z.string() })

export const overview = {
  show: act(
    'GET /overview',
    'Show the last 24 hours, and what needs attention. Without `appId` of all apps that the caller sees. What is not of a mode, such as credit and incidents, is of live codes.',
    'look',
    'apps',
  )
    .input(z.object({ appId: z.string().optional(), mode }))
    .output(
      z.object({
        /** The last 24 hours, and the 24 hours before. */
        total: counts,
        before: counts,
        /** Each of the last 24 hours (UTC). */
        series: z.array(counts.extend({ at })),
        /** Live codes that were refused, in the same two days. */
        refused: z.object({
          total: z.int(),
          before: z.int(),
          series: z.array(z.int()),
          /** Largest first. */
          rules: z.array(z.object({ rule: z.enum(RULES), refused: z.int(), before: z.int() })),
          /** Apps where more is refused than usual: in the worse of two hours, and in the usual worst hour of a day. */
          unusual: z.array(perApp.extend({ lately: z.int(), usual: z.int() })),
        }),
        /** Open ones, newest first. */
        incidents: z.array(incident),
        /** Empty for callers who see some apps only. */
        carriers: z.array(
          z.object({
            name: z.string(),
            ...carrierHealth.shape,
            /** Of the last 24 hours; missing if nothing was accepted. */
            p50Ms: z.int().optional(),
            p95Ms: z.int().optional(),
          }),
        ),
        /** In 24 hours. Those whose credit lasts shortest come first. */
        apps: z.array(
          perApp.extend({
            issued: z.int(),
            delivered: z.int(),
            failed: z.int(),
            verified: z.int(),
            refused: z.int(),
            available: z.int(),
            alertBelow: z.int().optional(),
            /** Mean of the last seven days; of fewer if the first code is younger. */
            spentPerDay: z.number(),
            /** Missing if nothing is spent. */
            daysLeft: z.number().optional(),
          }),
        ),
        /** The newest codes of the last 24 hours that were not delivered. */
        failures: z.array(
          perApp.extend({
            issueId: z.string(),
            purpose: z.string(),
            country: z.string().optional(),
            createdAt: at,
            carrier: z.string().optional(),
            code: z.string().optional(),
            explanation: z.string().optional(),
          }),
        ),
        /** Webhook endpoints of the mode that are disabled, failing or blocked. */
        endpoints: z.array(endpoint),
        /** Live browser keys with more rights than they should have. */
        openKeys: z.array(perApp.extend({ keyId: z.string(), shown: z.string(), allows })),
      }),
    ),
}
