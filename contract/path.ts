/** Where each operation lies below `/v1`, by itself: a server listens at these before it makes the schemas of the interface. */
export const PATHS = {
  issue: '/issue',
  verify: '/verify',
  status: '/status',
  listIssues: '/issues',
  getIssue: '/issues/{issueId}',
  listCreditLedger: '/credit-ledger',
  balance: '/balance',
  listTemplates: '/templates',
  getTemplate: '/templates/{templateId}',
} as const
