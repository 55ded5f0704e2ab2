// The surroundings of this page: an app that embeds it, or a frame of another origin, which could steal clicks. Servers send
// headers against such frames; a folder of plain files has none, so the page checks itself.

export const isEmbedded: boolean = import.meta.env['VITE_EMBEDDED'] === '1'

/** Origins that the app lets frame it, as the tool of the package wrote them into the page. */
const allowed =
  document.querySelector<HTMLMetaElement>('meta[name="daybook-frame-ancestors"]')?.content.split(' ') ?? []

export const isFramedByStranger: boolean =
  window.top !== window &&
  !ancestors().every((origin) => origin === location.origin || allowed.includes(origin))

/** The origins of the pages around this one, nearest first; an empty text for an unknown one. */
function ancestors(): readonly string[] {
  // Not in every browser.
  const named = (location as { readonly ancestorOrigins?: ArrayLike<string> }).ancestorOrigins
  if (named) return Array.from(named)
  const origins: string[] = []
  for (let one: Window = window; one.parent !== one; one = one.parent) origins.push(originOf(one.parent))
  return origins
}

function originOf(other: Window): string {
  try {
    return other.location.origin
  } catch {
    // Of another origin: it is the one that the browser names as having led here, if it is the nearest.
    return other === window.parent && URL.canParse(document.referrer) ? new URL(document.referrer).origin : ''
  }
}
