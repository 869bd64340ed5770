/** The reference is embedded as a file. */
declare module '*/standalone.js' {
  const path: string
  export default path
}
