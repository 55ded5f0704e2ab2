// Headers of the inspector: the one source of the build's `_headers` and `<meta>`, and of the headers of
// Vite's servers.
// Invariant: scripts, workers, styles and frames come from the page's own origin only, and the page connects
// to its own origin and the one edge it was built for.

/**
 * The origin of the edge that the page is built for; undefined for none, and for the one that serves the
 * page. Throws unless it is exactly one origin.
 * @param {string} edge the value of VITE_EDGE_URL
 */
export function edgeOrigin(edge) {
  if (edge === '' || /^\/(?![/\\])/.test(edge)) return undefined
  const url = URL.canParse(edge) ? new URL(edge) : undefined
  // A policy has no IPv6 addresses and no other characters that URL accepts in a host; `*` would be any host.
  if (url && /^https?:$/.test(url.protocol) && /^[a-z0-9._-]+$/.test(url.hostname)) return url.origin
  throw new Error(
    `VITE_EDGE_URL=${JSON.stringify(edge)} is no address of an edge; give http(s)://<name>[:<port>], or / for the edge that serves the page.`,
  )
}

/**
 * The policy of the page and its workers, which obey the header of their own script only. `isDev` allows the
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
 * The same policy for a `<meta>`, which can't restrict framing.
 * @param {string} policy
 */
export function metaPolicy(policy) {
  return policy.replace(/; frame-ancestors [^;]*/, '')
}

/** Features that the page never uses, denied to all scripts. The clipboard stays: the page copies to it. */
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
    // The URL contains the name of the book and the query.
    'Referrer-Policy': 'no-referrer',
    'Permissions-Policy': unused.map((feature) => `${feature}=()`).join(', '),
    // No COEP: it would only enable shared memory, which is unused.
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  }
}

/**
 * The `_headers` of the published page. Files of `assets/` have a hash in their names and never change; the
 * others, such as the service worker, are revalidated each time.
 * @param {string} policy
 */
export function headersFile(policy) {
  const everywhere = {
    ...pageHeaders(policy),
    // As long as the edge itself says at the same origin.
    'Strict-Transport-Security': 'max-age=15552000; includeSubDomains',
    'Cache-Control': 'no-cache',
  }
  const lines = Object.entries(everywhere).map(([name, value]) => `  ${name}: ${value}`)
  const hashed = ['  ! Cache-Control', '  Cache-Control: public, max-age=31536000, immutable']
  return ['/*', ...lines, '', '/assets/*', ...hashed, ''].join('\n')
}
