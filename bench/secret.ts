/** The master secret of every benchmark; it guards nothing. */
export const SECRET = 'the master secret of the benchmark, which guards nothing'
