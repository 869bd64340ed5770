export { readCode } from '../typed-text'
