/** XML of a carrier as a value. */
import { XMLParser, XMLValidator } from 'fast-xml-parser'

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  ignoreDeclaration: true,
  // Characters by their numbers belong to these.
  htmlEntities: true,
  // Identifiers stay as they are written.
  parseTagValue: false,
  parseAttributeValue: false,
})

/** Undefined where it is not well-formed, or nested too deeply. */
export function readXml(text: string): unknown {
  try {
    return XMLValidator.validate(text) === true ? parser.parse(text) : undefined
  } catch {
    return undefined
  }
}
