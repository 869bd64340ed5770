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
