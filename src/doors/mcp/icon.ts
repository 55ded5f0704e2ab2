// The icon of Daybook for clients that show one beside the server: demo/public/icon.svg, as an address that needs no network.
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">' +
  '<rect x="8" y="4" width="48" height="56" rx="8" fill="#2f4bb8"/>' +
  '<path d="M20 4v56" stroke="#fff" stroke-opacity=".45" stroke-width="3"/>' +
  '<path d="M29 20h18M29 32h18M29 44h10" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>'

/** The first revision whose servers have icons. */
const firstRevision = '2025-11-25'

/** `revision`: the protocol revision of the client; its names are dates. Returns no icons before they exist. */
export function iconsFor(revision: string) {
  if (revision < firstRevision) return {}
  return {
    icons: [{ src: `data:image/svg+xml;base64,${btoa(svg)}`, mimeType: 'image/svg+xml', sizes: ['any'] }],
  }
}
