/** How much a run plays: what a commit is checked with, or all of it, as `bun run ci:nightly` does. */
export const isNightly = process.env.TEST_DEPTH === 'nightly'
