// JSON Web Tokens (RFC 7519) of an identity provider: verified by its published keys (JWKS), read as a grant for one book.
// Invariant: nothing counts but a signature by an allowed asymmetric algorithm, with the issuer and the audience that this
// edge is set up for, and a time of expiry.
import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload, type RemoteJWKSet } from 'jose'
import { z } from 'zod'
import { isBookName } from '../../../core/book.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Grant } from '../../../core/access/grant.ts'
import { patternLimit } from '../../../core/access/reach.ts'
import { parseScope } from '../../../core/access/scope.ts'
import type { EdgeEnv } from '../../../edge/edge-env.ts'

/** Signatures by a shared secret are not among them: whoever can verify those can also make them. */
const known = new Set([
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
const usual = ['EdDSA', 'Ed25519', 'ES256', 'RS256']
const clockToleranceS = 30
/** As OpenID Connect Core has it, section 2. Subjects name callers, so none is cut. */
const longestSubject = 255
const timeoutMs = 5000
/** Keys are asked for again after ten minutes, and when one is missing, but not twice within thirty seconds. */
const cacheMaxAgeMs = 600_000
const cooldownMs = 30_000

const text = (max: number) => z.string().min(1).max(max)
const names = z.array(text(64)).max(100)
const pattern = z.string().refine((value) => parseScope(value) !== undefined)
/** The claim `daybook`: for which books it speaks, and what its holder may do there. */
const bookClaim = z.object({
  books: z.union([text(64), z.array(text(64)).max(1000)]),
  owner: z.boolean().optional(),
  agent: text(1000).optional(),
  scope: pattern.default('**'),
  allow: z
    .array(pattern)
    .max(patternLimit - 1)
    .optional(),
  deny: z.array(pattern).max(patternLimit).optional(),
  permissions: z.array(text(200)).max(64).default([]),
  push: names.optional(),
  pull: names.optional(),
})

const keySets = new Map<string, RemoteJWKSet>()

/** True when this edge takes JSON Web Tokens, and `bearer` has the shape of one. */
export function isJwt(bearer: string, env: EdgeEnv): boolean {
  return env.DAYBOOK_JWKS_URL !== undefined && /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(bearer)
}

/** What a token says that was found to be good. */
export interface Claims {
  /** The book that it speaks for where none is named: its subject's own, or the first of its claim. */
  readonly book: string | undefined
  /** What its holder may do in `book`; throws `forbidden` when it does not speak for that, `unauthorized` for an odd claim. */
  grantFor(book: string): Grant
}

/** Verifies `bearer`. Throws `unauthorized`. */
export async function readJwt(bearer: string, env: EdgeEnv): Promise<Claims> {
  const { iss = '', sub, exp = 0, daybook } = await verify(bearer, env)
  if (typeof sub !== 'string' || sub === '' || sub.length > longestSubject)
    throw refuse('The token names no subject.')
  const untilMs = (exp + clockToleranceS) * 1000
  const id = `claims:${iss}#${sub}`
  const own = bookOfSubject(env.DAYBOOK_JWT_BOOK ?? '', sub)
  const claim = bookClaim.safeParse(daybook).data
  const books = claim ? [claim.books].flat() : []
  return {
    book: own ?? books[0],
    grantFor(book) {
      if (own === book) return { id, owner: true, agent: sub, scope: '**', permissions: [], untilMs }
      if (daybook !== undefined && !claim) throw refuse('Its claim `daybook` is not understood.')
      if (!claim || !books.includes(book))
        throw new DaybookError('forbidden', 'The token does not speak for this book.')
      const { books: _, agent = sub, ...granted } = claim
      return { id, agent, ...granted, untilMs }
    },
  }
}

/** The book that `subject` owns by `pattern`; none when that is no name of a book, for then it might be read as another's. */
export function bookOfSubject(pattern: string, subject: string): string | undefined {
  const book = pattern.split('{sub}').join(subject)
  return isBookName(book) ? book : undefined
}

async function verify(bearer: string, env: EdgeEnv): Promise<JWTPayload> {
  const { DAYBOOK_JWT_ISSUER: issuer, DAYBOOK_JWT_AUDIENCE: audience } = env
  const algorithms = listOf(env.DAYBOOK_JWT_ALGORITHMS) ?? usual
  const odd = algorithms.find((one) => !known.has(one))
  if (!issuer || !audience || odd !== undefined) {
    // The deployment is at fault, not who calls.
    throw new DaybookError(
      'internal',
      'DAYBOOK_JWT_ISSUER, DAYBOOK_JWT_AUDIENCE or DAYBOOK_JWT_ALGORITHMS is wrong.',
    )
  }
  try {
    const { payload } = await jwtVerify(bearer, keySetOf(env.DAYBOOK_JWKS_URL ?? ''), {
      issuer,
      audience: listOf(audience) ?? audience,
      algorithms,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: clockToleranceS,
    })
    return payload
  } catch (cause) {
    throw toProblem(cause)
  }
}

function keySetOf(url: string): RemoteJWKSet {
  const set =
    keySets.get(url) ??
    createRemoteJWKSet(new URL(url), {
      timeoutDuration: timeoutMs,
      cacheMaxAge: cacheMaxAgeMs,
      cooldownDuration: cooldownMs,
      [customFetch]: (address, init) => fetch(address, init),
    })
  keySets.set(url, set)
  return set
}

function toProblem(cause: unknown): DaybookError {
  if (cause instanceof errors.JWTExpired) return refuse('The token has expired.')
  const isToken =
    cause instanceof errors.JWTClaimValidationFailed ||
    cause instanceof errors.JWTInvalid ||
    cause instanceof errors.JWSInvalid ||
    cause instanceof errors.JWSSignatureVerificationFailed ||
    cause instanceof errors.JWKSNoMatchingKey ||
    cause instanceof errors.JWKSMultipleMatchingKeys ||
    cause instanceof errors.JOSEAlgNotAllowed ||
    cause instanceof errors.JOSENotSupported
  if (isToken) return refuse('The token is not one that this edge trusts.')
  // The keys could not be had: nobody knows whether the token is good.
  return new DaybookError('offline', 'The keys of the identity provider cannot be had.', { cause })
}

function listOf(value: string | undefined): string[] | undefined {
  const list = value?.split(/[\s,]+/).filter((one) => one !== '')
  return list && list.length > 0 ? list : undefined
}

function refuse(message: string): DaybookError {
  return new DaybookError('unauthorized', message)
}
