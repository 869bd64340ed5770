import type { ConformanceRule } from '../rule'
import { accessRules } from './access'
import { historyRules } from './history'
import { issueRules } from './issue'
import { testModeRules } from './test-mode'
import { verifyRules } from './verify'

export const RULES: readonly ConformanceRule[] = [
  ...testModeRules,
  ...issueRules,
  ...verifyRules,
  ...historyRules,
  ...accessRules,
]
