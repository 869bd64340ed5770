/** The guide's address and its search options, shared by the build, the server and the pages. */
import type { Options } from 'minisearch'

export const GUIDE_PREFIX = '/docs/guide'

export interface Section {
  /** Path and anchor. */
  id: string
  /** The title of its page. */
  page: string
  heading: string
  text: string
}

export const SEARCH_OPTIONS: Options<Section> = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['heading', 'page'],
  searchOptions: { boost: { heading: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
}
