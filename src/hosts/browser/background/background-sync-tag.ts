// The name that page and service worker have for the event, apart from both so that neither carries the other along.

/** The tag under which pages ask the browser for a `sync` event. */
export const backgroundSyncTag = 'daybook'
