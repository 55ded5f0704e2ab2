// Whether this page is the inspector of an app, served from the app's own origin by a tool of the package.
// There it keeps no edge and no service worker of its own, and begins with the app's books.

export const isEmbedded: boolean = import.meta.env['VITE_EMBEDDED'] === '1'
