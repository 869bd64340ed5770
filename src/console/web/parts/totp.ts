/** Codes of authenticator apps, which show them with a space in the middle. */

export const digitsOf = (totp: string): string => totp.replaceAll(/\s/g, '')

export const isTotp = (typed: string): boolean => /^\d{6}$/.test(digitsOf(typed))
