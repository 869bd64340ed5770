/** The checks of every installation, in the order in which their findings are shown. */
import { checkAudit } from './audit'
import { checkCarriers } from './carriers'
import type { Check } from './finding'
import { checkNotices } from './notices'
import { checkProxy } from './proxy'
import { checkKeys } from './secret'
import { checkWebhooks } from './webhooks'

export const COMMON_CHECKS: readonly Check[] = [
  checkProxy,
  checkCarriers,
  checkNotices,
  checkKeys,
  checkWebhooks,
  checkAudit,
]
