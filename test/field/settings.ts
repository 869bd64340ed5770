/**
 * Environments that people start servers in, as public reports tell, and what a server says of each. Names, paths and numbers are
 * made up.
 */
export interface SettingsCase {
  /** The public report. */
  report: string
  /** Why this is right. */
  authority: string
  env: Record<string, string>
  /** The mistakes that are named, each by the beginning of its line; empty: it starts. */
  mistakes: readonly string[]
}

const KUBERNETES =
  'https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables: set for every Service of the namespace'
const BOTH = 'https://12factor.net/config: a setting that is ignored must be named, not guessed'

export const SETTINGS: readonly SettingsCase[] = [
  {
    report: 'https://github.com/abartrim/sobs/issues/435',
    authority: KUBERNETES,
    env: {
      ...{
        WATCHWORD_PORT: 'tcp://10.43.7.9:8787',
        WATCHWORD_SERVICE_HOST: '10.43.7.9',
        WATCHWORD_SERVICE_PORT: '8787',
      },
      ...{ WATCHWORD_PORT_8787_TCP: 'tcp://10.43.7.9:8787', WATCHWORD_PORT_8787_TCP_PROTO: 'tcp' },
      ...{ WATCHWORD_PORT_8787_TCP_PORT: '8787', WATCHWORD_PORT_8787_TCP_ADDR: '10.43.7.9' },
    },
    mistakes: [],
  },
  {
    report: 'https://github.com/actualbudget/actual/issues/4920',
    authority: KUBERNETES,
    env: { WATCHWORD_SERVICE_PORT_HTTP: '80', WATCHWORD_PORT_80_TCP_ADDR: '10.43.7.10', WATCHWORD_PORT: '9000' },
    mistakes: [],
  },
  {
    // Its neighbour: a port that is no port stays a mistake.
    report: 'https://github.com/garethgeorge/backrest/issues/885',
    authority: KUBERNETES,
    env: { WATCHWORD_PORT: 'http://10.43.7.9:8787' },
    mistakes: ['WATCHWORD_PORT: '],
  },
  {
    report: 'https://github.com/anomalyco/opencode/issues/38739',
    authority: 'bind(2): EADDRNOTAVAIL, an address of no local interface; the report asks that the address is named',
    env: { WATCHWORD_HOST: '192.0.2.41', WATCHWORD_METRICS_LISTEN: '192.0.2.42:9464' },
    mistakes: ['WATCHWORD_HOST: 192.0.2.41 ', 'WATCHWORD_METRICS_LISTEN: 192.0.2.42 '],
  },
  {
    report: 'https://github.com/dani-garcia/vaultwarden/issues/287',
    authority: 'mkdir(2): ENOTDIR, a component of the path is not a directory',
    env: { WATCHWORD_DATA: '/etc/hostname' },
    mistakes: ['WATCHWORD_DATA: /etc/hostname is a file'],
  },
  {
    report: 'https://github.com/dani-garcia/vaultwarden/issues/287',
    authority: BOTH,
    env: { WATCHWORD_DATABASE_REPLICA_URL: 'postgres://reader@127.0.0.1/otp', WATCHWORD_HOSTS: '127.0.0.1' },
    mistakes: ['WATCHWORD_HOSTS: no such setting', 'WATCHWORD_DATABASE_REPLICA_URL: needs WATCHWORD_DATABASE_URL'],
  },
]
