// Verifies JSON Web Tokens (RFC 7519) with the published keys (JWKS) of an identity provider, and reads a token as a
// grant for one book.
// Invariant: a token needs a signature by an allowed asymmetric algorithm, this edge's issuer and audience, and an
// expiry.
import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload, type RemoteJWKSet } from 'jose'
import { z } from 'zod'
import { isBookName } from '../../../core/book.ts'
import { defined } from '../../../core/defined.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Grant } from '../../../core/access/grant.ts'
import { patternLimit } from '../../../core/access/reach.ts'
import { parseScope } from '../../../core/access/scope.ts'
import type { EdgeEnv } from '../../../edge/edge-env.ts'

/** Supported algorithms. Algorithms with a shared secret are missing, because a verifier could forge tokens. */
const supportedAlgorithms = new Set([
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
])
const defaultAlgorithms = ['EdDSA', 'Ed25519', 'ES256', 'RS256']
const clockToleranceS = 30
/**
 * Maximum characters of a subject (OpenID Connect Core, section 2). A longer subject is refused, never cut, because
 * it names the caller.
 */
const maxSubjectLength = 255
const fetchTimeoutMs = 5000
/** Keys are fetched again after ten minutes, or if a key is missing, at most every thirty seconds. */
const cacheMaxAgeMs = 600_000
const cooldownMs = 30_000

const text = (max: number) => z.string().min(1).max(max)
const names = z.array(text(64)).max(100)
const pattern = z.string().refine((value) => parseScope(value) !== undefined)
/** The claim `daybook` of a token: books, and the rights in these books. */
const bookClaim = z.object({
  // The other fields: `Grant` in core/access/grant.ts.
  books: z.union([text(64), z.array(text(64)).max(1000)]),
  owner: z.boolean().optional(),
  agent: text(1000).optional(),
  scope: pattern.default('**'),
  allow: z
    .array(pattern)
    // `scope` is one of the patterns of a grant.
    .max(patternLimit - 1)
    .optional(),
  deny: z.array(pattern).max(patternLimit).optional(),
  permissions: z.array(text(200)).max(64).default([]),
  push: names.optional(),
  pull: names.optional(),
})

/** The provider's keys by address. They are fetched and cached by `jose`. */
const keySets = new Map<string, RemoteJWKSet>()

/** True if this edge accepts JSON Web Tokens, and `bearer` has the form of one. */
export function isJwt(bearer: string, env: EdgeEnv): boolean {
  return env.DAYBOOK_JWKS_URL !== undefined && /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(bearer)
}

/** The content of a verified token. */
export interface Claims {
  /** The default book: the subject's own book, or the first book of the claim. Undefined: neither exists. */
  readonly book: string | undefined
  /**
   * Returns the grant for `book`. Throws `forbidden` if the token does not name `book`, `unauthorized` for a
   * malformed claim.
   */
  grantFor(book: string): Grant
}

/**
 * Verifies `bearer`. `resources`: audiences that it may have besides `DAYBOOK_JWT_AUDIENCE`. Throws `unauthorized` for an invalid token, `offline` if the keys can't be fetched, `internal`
 * for wrong settings.
 */
export async function verifyJwt(
  bearer: string,
  env: EdgeEnv,
  resources: readonly string[] = [],
): Promise<Claims> {
  const payload = await verifySignature(bearer, env, resources)
  const { iss = '', sub, exp = 0, daybook } = payload
  if (typeof sub !== 'string' || sub === '' || sub.length > maxSubjectLength)
    throw unauthorizedError('The token names no subject.')
  const untilMs = (exp + clockToleranceS) * 1000
  const id = `claims:${iss}#${sub}`
  const subjectBook = bookOfSubject(env.DAYBOOK_JWT_BOOK ?? '', sub)
  const claim = bookClaim.safeParse(daybook).data
  const books = claim ? [claim.books].flat() : []
  const scoped = scopedPermissions(payload['scope'])
  return {
    book: subjectBook ?? books[0],
    grantFor(book) {
      // The subject's own book, by the setting `DAYBOOK_JWT_BOOK`.
      if (subjectBook === book) {
        const own = { id, agent: sub, scope: '**', untilMs }
        return scoped ? { ...own, permissions: scoped } : { ...own, owner: true, permissions: [] }
      }
      if (daybook !== undefined && !claim)
        throw unauthorizedError('The claim `daybook` of the token is malformed.')
      if (!claim || !books.includes(book))
        throw new DaybookError('forbidden', 'The token is not for this book.')
      const { books: _, agent = sub, owner, permissions, ...granted } = claim
      const own = { id, agent, ...granted, untilMs }
      if (!scoped) return { ...own, ...defined({ owner }), permissions }
      return { ...own, permissions: owner ? scoped : scoped.filter((one) => permissions.includes(one)) }
    },
  }
}

const scopePrefix = 'daybook:'

/**
 * The permissions that the scopes of a token name, as in `daybook:read daybook:write`: it has no others. Undefined: no scope
 * begins so, and the token has all rights of its subject or claim.
 */
function scopedPermissions(scope: unknown): string[] | undefined {
  if (typeof scope !== 'string') return undefined
  const named = scope.split(' ').filter((one) => one.startsWith(scopePrefix))
  return named.length > 0 ? named.map((one) => one.slice(scopePrefix.length)) : undefined
}

/**
 * Returns the book that `subject` owns: `pattern` with each `{sub}` replaced. Undefined: the result is no valid name.
 */
export function bookOfSubject(pattern: string, subject: string): string | undefined {
  const book = pattern.split('{sub}').join(subject)
  return isBookName(book) ? book : undefined
}

async function verifySignature(
  bearer: string,
  env: EdgeEnv,
  resources: readonly string[],
): Promise<JWTPayload> {
  const { DAYBOOK_JWT_ISSUER: issuer, DAYBOOK_JWT_AUDIENCE: audience } = env
  const algorithms = splitList(env.DAYBOOK_JWT_ALGORITHMS) ?? defaultAlgorithms
  const unsupported = algorithms.find((one) => !supportedAlgorithms.has(one))
  if (!issuer || !audience || unsupported !== undefined) {
    // The deployment is wrong, not the caller.
    throw new DaybookError(
      'internal',
      'DAYBOOK_JWT_ISSUER, DAYBOOK_JWT_AUDIENCE or DAYBOOK_JWT_ALGORITHMS is wrong.',
    )
  }
  try {
    const { payload } = await jwtVerify(bearer, keySetOf(env.DAYBOOK_JWKS_URL ?? ''), {
      issuer,
      audience: [...(splitList(audience) ?? []), ...resources],
      algorithms,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: clockToleranceS,
    })
    return payload
  } catch (cause) {
    throw toTokenError(cause)
  }
}

function keySetOf(url: string): RemoteJWKSet {
  const set =
    keySets.get(url) ??
    createRemoteJWKSet(new URL(url), {
      timeoutDuration: fetchTimeoutMs,
      cacheMaxAge: cacheMaxAgeMs,
      cooldownDuration: cooldownMs,
      [customFetch]: (address, init) => fetch(address, init),
    })
  keySets.set(url, set)
  return set
}

function toTokenError(cause: unknown): DaybookError {
  if (cause instanceof errors.JWTExpired) return unauthorizedError('The token has expired.')
  const isTokenFault =
    cause instanceof errors.JWTClaimValidationFailed ||
    cause instanceof errors.JWTInvalid ||
    cause instanceof errors.JWSInvalid ||
    cause instanceof errors.JWSSignatureVerificationFailed ||
    cause instanceof errors.JWKSNoMatchingKey ||
    cause instanceof errors.JWKSMultipleMatchingKeys ||
    cause instanceof errors.JOSEAlgNotAllowed ||
    cause instanceof errors.JOSENotSupported
  if (isTokenFault) return unauthorizedError('This edge does not trust the token.')
  // The keys are missing, so the token can't be checked.
  return new DaybookError('offline', 'The keys of the identity provider could not be fetched.', { cause })
}

/** The entries of a setting, separated by spaces or commas; undefined without any. */
export function splitList(value: string | undefined): string[] | undefined {
  const list = value?.split(/[\s,]+/).filter((one) => one !== '')
  return list && list.length > 0 ? list : undefined
}

function unauthorizedError(message: string): DaybookError {
  return new DaybookError('unauthorized', message)
}
