/** The flag of a country as an emoji, which needs no picture. */
export const flagOf = (country: string): string =>
  String.fromCodePoint(...[...country].map((letter) => 0x1f1a5 + letter.charCodeAt(0)))
