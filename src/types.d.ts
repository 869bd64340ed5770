/** Files that Bun embeds as text, or by path. */
declare module '*.sql' {
  const text: string
  export default text
}
declare module '*.bash' {
  const text: string
  export default text
}
declare module '*.zsh' {
  const text: string
  export default text
}
declare module '*.fish' {
  const text: string
  export default text
}
declare module '*/standalone.js' {
  const path: string
  export default path
}
/** Files that the console's pages are bundled with. */
declare module '*.css' {
  const classes: Record<string, string>
  export default classes
}
declare module '*.svg' {
  const url: string
  export default url
}
