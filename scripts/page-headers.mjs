// What every answer of the inspector carries: the one place from which the build's `_headers` and `<meta>`, and the
// headers of Vite's servers, are derived. Invariant: scripts, workers, styles and frames come from the page's own origin or
// not at all, and the page talks to its own origin and to the one edge that it was built for.

/**
 * The origin of the edge that the page is built for; undefined for none, and for the one that serves the page. Throws for
 * what would be more than one origin in a policy, or none.
 * @param {string} edge the value of VITE_EDGE_URL
 */
export function edgeOrigin(edge) {
  if (edge === '' || /^\/(?![/\\])/.test(edge)) return undefined
  const url = URL.canParse(edge) ? new URL(edge) : undefined
  // A policy knows neither addresses of IPv6 nor the other characters that URL takes in a host's name; `*` is any host.
  if (url && /^https?:$/.test(url.protocol) && /^[a-z0-9._-]+$/.test(url.hostname)) return url.origin
  throw new Error(
    `VITE_EDGE_URL=${JSON.stringify(edge)} is no address of an edge; give http(s)://<name>[:<port>], or / for the edge that serves the page.`,
  )
}

/**
 * The policy of the page and of its workers, each of which obeys the header of its own script alone. `isDev` lets in the
 * style sheets that Vite injects.
 * @param {{ edge: string, isDev?: boolean }} page
 */
export function contentPolicy({ edge, isDev = false }) {
  const origin = edgeOrigin(edge)
  const reached = origin === undefined ? '' : ` ${origin} ${origin.replace(/^http/, 'ws')}`
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    `style-src 'self'${isDev ? " 'unsafe-inline'" : ''}`,
    "img-src 'self' data:",
    `connect-src 'self'${reached}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * The same policy for a `<meta>`, where who may frame the page cannot be said.
 * @param {string} policy
 */
export function metaPolicy(policy) {
  return policy.replace(/; frame-ancestors [^;]*/, '')
}

/** What the page never asks for, so that no script in it can. The clipboard stays: the page copies to it. */
const unused = [
  'camera',
  'display-capture',
  'geolocation',
  'hid',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'serial',
  'usb',
]

/**
 * @param {string} policy
 * @returns {Record<string, string>}
 */
export function pageHeaders(policy) {
  return {
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    // The address names the book and what was asked of it.
    'Referrer-Policy': 'no-referrer',
    'Permissions-Policy': unused.map((feature) => `${feature}=()`).join(', '),
    // No COEP: it would buy shared memory, which nothing here uses.
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  }
}

/**
 * The `_headers` of the published page. Files of `assets/` have a hash in their names and never change; the others, the
 * service worker among them, are asked for again each time.
 * @param {string} policy
 */
export function headersFile(policy) {
  const everywhere = {
    ...pageHeaders(policy),
    // As long as the edge itself says, which answers at the same origin.
    'Strict-Transport-Security': 'max-age=15552000; includeSubDomains',
    'Cache-Control': 'no-cache',
  }
  const lines = Object.entries(everywhere).map(([name, value]) => `  ${name}: ${value}`)
  const hashed = ['  ! Cache-Control', '  Cache-Control: public, max-age=31536000, immutable']
  return ['/*', ...lines, '', '/assets/*', ...hashed, ''].join('\n')
}
