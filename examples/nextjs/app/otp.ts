/** Watchword, as this app is set up with it. */
export const OTP_URL = process.env.OTP_URL ?? 'http://127.0.0.1:8787/v1'
export const OTP_PUBLIC_KEY = setting('OTP_PUBLIC_KEY')
export const OTP_APP_ID = setting('OTP_APP_ID')

/** A proof for anything else signs nobody up. */
export const PURPOSE = 'signup'

function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`Set ${name}: quickstart prints it`)
  return value
}
