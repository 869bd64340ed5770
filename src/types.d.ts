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
/** Files that the console's pages are bundled with. A module's classes are its own; any other sheet is for elements alone. */
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  export default classes
}
declare module '*.css' {}
declare module '*.svg' {
  const url: string
  export default url
}
