// How every bundle begins, encrypted or not: enough to tell it from other files. Alone here, because pages carry it.
export const bundleBeginning = '{"format":"kstar-bundle'
