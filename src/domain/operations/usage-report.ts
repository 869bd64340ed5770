/** What usage may be added up by. `hour` is the hour of the day. */
export const REPORT_GROUPS = ['app', 'month', 'day', 'hour', 'country', 'carrier', 'channel', 'purpose'] as const
export type ReportGroup = (typeof REPORT_GROUPS)[number]

/** Where finance's tools read usage. */
export const USAGE_REPORT_PATH = '/reports/usage'
