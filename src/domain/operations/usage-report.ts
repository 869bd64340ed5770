/** The groups by which usage is added up. `hour` is the hour of the day. */
export const REPORT_GROUPS = ['app', 'month', 'day', 'hour', 'country', 'carrier', 'channel', 'purpose'] as const
export type ReportGroup = (typeof REPORT_GROUPS)[number]

/** The path at which the tools of finance read usage. */
export const USAGE_REPORT_PATH = '/reports/usage'
