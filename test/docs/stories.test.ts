/** The pages, followed word for word by somebody in an empty home. */
import { setDefaultTimeout, test } from 'bun:test'
import { Reader } from './reader'
import { blocksOfStory, STORIES } from './stories'

setDefaultTimeout(60_000)

test.each([...STORIES])('$page is true', async (story) => {
  const reader = new Reader()
  try {
    await reader.follow(blocksOfStory(story))
  } finally {
    await reader.stop()
  }
})
