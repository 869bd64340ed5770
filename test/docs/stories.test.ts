/** The pages, followed word for word by somebody in an empty home. */
import { setDefaultTimeout, test } from 'bun:test'
import { Reader } from './reader'
import { APPS, blocksOfStory, STORIES, type Story } from './stories'

setDefaultTimeout(120_000)

async function follow(story: Story, reader: Reader): Promise<void> {
  try {
    await reader.follow(blocksOfStory(story))
  } finally {
    await reader.stop()
  }
}

test.each([...STORIES])('$page is true', (story) => follow(story, new Reader()))

test.each([{ page: 'README.md' }, { page: 'docs/app.md', sections: APPS.Express }])(
  '$page is true where our own curl stands in',
  (story) => follow(story, new Reader({ hasCurl: false })),
)
