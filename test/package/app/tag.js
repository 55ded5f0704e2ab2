// All that a service worker with a listener of its own needs to know of the page's half.
export { backgroundSyncTag } from 'daybook/service-worker'
