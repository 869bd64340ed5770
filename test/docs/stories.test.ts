/** The pages, followed word for word by somebody in an empty home. */
import { setDefaultTimeout, test } from 'bun:test'
import { isNightly } from '../support/depth'
import { HANGS_AFTER_MS } from '../support/until'
import { Reader } from './reader'
import { APPS, blocksOfStory, STORIES, type Story } from './stories'

setDefaultTimeout(HANGS_AFTER_MS)

async function follow(story: Story, reader: Reader): Promise<void> {
  try {
    await reader.follow(blocksOfStory(story))
  } finally {
    await reader.stop()
  }
}

test.each([...STORIES])('$page is true', (story) => follow(story, new Reader()))

const EXPRESS: Story = { page: 'docs/app.md', sections: APPS.Express }

test.each([EXPRESS, ...(isNightly ? STORIES : [])])('$page is true where our own curl stands in', (story) =>
  follow(story, new Reader({ hasCurl: false })),
)
