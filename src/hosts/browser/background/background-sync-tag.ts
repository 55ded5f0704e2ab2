// The tag of background sync, apart from its database: the page doesn't load idb for it, and published types name no idb.

/** The tag of the browser's `sync` event. */
export const backgroundSyncTag = 'daybook'
