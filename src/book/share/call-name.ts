// How the calls of a page are named, so that one whose answer was lost can be sent again: by the page and their number.
// Invariant: a page counts on from worker to worker, and no two workers of it have the same name.

/** Names a worker of a page; what is made in it first has numbers above `first`, what an earlier one left has lower ones. */
export const tabOf = (page: string, first: number) => `${page}.${first}`

const pageOf = (tab: string) => tab.split('.')[0] ?? ''
export const firstOf = (tab: string) => Number(tab.split('.')[1] ?? 0)

/** The requestId of a call that was given none; those of a page sort by their number. */
export const requestOf = (tab: string, number: number) => `${pageOf(tab)}:${String(number).padStart(12, '0')}`

/** After the last name of a page's calls. */
export const afterRequestsOf = (tab: string) => `${pageOf(tab)};`

/** Whether a page named a call so itself. */
export const isOwnRequest = (tab: string, requestId = '') => requestId.startsWith(`${pageOf(tab)}:`)
