// What every answer with a file of the inspector carries, and who may show it in a frame.
// Invariant: no page but those of its own origin frames it, so that no click on it is stolen, unless the app names others.
import type { InspectorFile } from './inspector-files.ts'

/** The name of the `<meta>` by which the page itself learns who may frame it, where nobody sends its headers. */
const ancestorsMeta = 'daybook-frame-ancestors'
const originShape = /^https?:\/\/(?:\[[0-9a-f:]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/

/** `given` as origins. Throws a `TypeError` for anything else: a policy takes more than origins, and less strictly. */
export function checkFrameAncestors(given: readonly string[]): readonly string[] {
  const wrong = given.find((origin) => !originShape.test(origin))
  if (wrong === undefined) return given
  throw new TypeError(
    `frameAncestors: An origin such as https://app.example.org is wanted, not ${JSON.stringify(wrong)}.`,
  )
}

/** The bytes of a file; its page says who may frame it. */
export function inspectorBody({ name, read }: InspectorFile, ancestors: readonly string[]): Uint8Array {
  if (name !== 'index.html' || ancestors.length === 0) return read()
  const page = Buffer.from(read()).toString('utf8')
  return Buffer.from(
    page.replace('<head>', `<head>\n    <meta name="${ancestorsMeta}" content="${ancestors.join(' ')}" />`),
  )
}

/** The policy is the page's own, as it was built; workers obey the header of their script alone. */
export function inspectorHeaders(page: Uint8Array, ancestors: readonly string[]): Record<string, string> {
  const built = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(
    Buffer.from(page).toString('utf8'),
  )?.[1]
  if (built === undefined) throw new Error('The inspector was built without a policy.')
  const framing = ["frame-ancestors 'self'", ...ancestors].join(' ')
  return {
    'content-security-policy': `${built.replaceAll('&#39;', "'")}; ${framing}`,
    // It knows no list: where others may frame the page, the policy says so alone.
    ...(ancestors.length === 0 ? { 'x-frame-options': 'SAMEORIGIN' } : {}),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  }
}
