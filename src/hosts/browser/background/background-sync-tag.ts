// The tag of background sync, in its own file, so that the page loads no `idb` and the published types don't
// name `idb`.

/** The tag of the browser's `sync` event. */
export const backgroundSyncTag = 'daybook'
