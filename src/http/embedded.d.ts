/** The reference and its icon are embedded as files. */
declare module '*/standalone.js' {
  const path: string
  export default path
}

declare module '*/icon.svg' {
  const path: string
  export default path
}
