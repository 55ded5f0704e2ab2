// The verbs that change control tokens: grant, store, revoke. token-read-capability.ts has the verbs that read
// them.
// `runs: 'keys'`: only on a copy with the book's private keys. `task`: asynchronous, with several transactions.
// `repeatable`: a call with the same `requestId` may start it again. `isQueued` false: the task queue refuses the verb,
// because its result is secret.
import { z } from 'zod'
import { latestOf, canonicalSpan } from '../core/zone.ts'
import { defineCapability } from '../core/capability/capability.ts'
import type { Guest } from '../core/capability/caller.ts'
import type { CallPort, ReadContext, TaskContext, WriteContext } from '../core/capability/context.ts'
import { DaybookError, invalidInput } from '../core/errors.ts'
import type { JsonObject } from '../core/json/path.ts'
import { toBase64Url } from '../shape/encoded-bytes.ts'
import { instantOrDay } from '../shape/field.ts'
import { requireSigner } from './keyring.ts'
import {
  allowPatterns,
  controlToken,
  type ControlToken,
  denyPatterns,
  permissions,
  principal,
  scopePattern,
  tokenId,
  tokenType,
} from './token-schema.ts'
import {
  ancestorsOf,
  createVerifier,
  delegateNameFault,
  findToken,
  storeFault,
  stateFault,
} from './verify-token.ts'
import { lineageHash, linkFault, makeSecret, nameFaults, signedText, toBearer } from './token.ts'
import { permitsAll } from '../core/access/permission.ts'
import { coversReach, readReach, type ScopeText } from '../core/access/reach.ts'
import { parseNames } from '../core/access/scope.ts'
import type { RecordReader } from '../core/capability/port/record-port.ts'
import { defined } from '../core/defined.ts'
import { nameId, idPrefixes } from '../core/text/name-id.ts'

/** Types that need no registration. */
const builtInTypes = ['capability_grant', 'resource_access', 'delegation', 'session'] as const

/**
 * Throws `invalid-input` unless the type is built in or registered, the token's scope is within that of the type,
 * and its permissions include those that the type requires.
 */
function assertTypeAllows(
  { type, permissions: granted, ...scope }: Pick<ControlToken, 'type' | 'permissions' | keyof ScopeText>,
  { rules }: Pick<RecordReader, 'rules'>,
): void {
  if (builtInTypes.some((builtIn) => builtIn === type)) return
  const id = nameId('token_type', type)
  // `rules` is unfiltered: a type binds a guest that can't see it.
  const tokenTypeRecord = rules.get(id) as
    { readonly scope_pattern?: string; readonly required_permissions?: readonly string[] } | undefined
  if (!tokenTypeRecord)
    throw invalidInput('type', `\`${type.slice(0, 80)}\` is neither built in nor registered`)
  // `{…}` in the pattern of a type matches any text without separators.
  const pattern = parseNames((tokenTypeRecord.scope_pattern ?? '**').replaceAll(/\{[^{}]*\}/g, '*'))
  const reach = readReach(scope)
  if (!pattern || !reach || !coversReach({ allow: [pattern], deny: [] }, reach))
    throw invalidInput(
      'scope',
      `Tokens of type \`${type.slice(0, 80)}\` have a scope like ${tokenTypeRecord.scope_pattern}`,
    )
  const missing = tokenTypeRecord.required_permissions?.find((permission) => !permitsAll(granted, permission))
  if (missing !== undefined)
    throw invalidInput('permissions', `Tokens of type \`${type.slice(0, 80)}\` need \`${missing}\``)
}

const guestOf = ({ caller }: Pick<CallPort, 'caller'>): Guest | undefined =>
  caller.role === 'guest' ? caller : undefined

/**
 * The parent of a new token: the named one, or a guest's own token. Undefined: the token has no parent. Throws
 * `forbidden` if the parent is not valid, or is neither the guest's token nor below it.
 */
function findParent(parentId: string | undefined, at: ReadContext<'trust'>): ControlToken | undefined {
  const guest = guestOf(at.call)
  const id = parentId ?? guest?.token
  if (id === undefined) return undefined
  const verifier = createVerifier(at.trust)
  const parent = verifier.find(id)
  const isKnown =
    parent && (!guest || parent.token_id === guest.token || parent.delegation_chain.includes(guest.token))
  const fault = isKnown ? stateFault(parent, verifier, at.trust.time()) : 'Token not found'
  if (fault)
    throw new DaybookError('forbidden', `${fault}: it can't have tokens below it.`, {
      details: { path: 'parent' },
    })
  return parent
}

/**
 * Throws `forbidden` for a guest that chooses an id without the prefix of tokens: the answer would reveal whether the owner
 * uses the id.
 */
function assertMayChooseId(id: string | undefined, call: CallPort): void {
  if (!guestOf(call) || id === undefined || id.startsWith(idPrefixes.token)) return
  throw new DaybookError('forbidden', '`token_id`: Leave it out, or begin it with `token::`.', {
    details: { path: 'token_id' },
  })
}

/**
 * Throws `forbidden` for a delegate with the name of the owner, or of the agent that writes for the owner;
 * `invalid-input` for the name of a holder above it, or too long a name.
 */
function assertHolderName(
  token: ControlToken,
  parent: ControlToken | undefined,
  { trust }: Pick<ReadContext<'trust'>, 'trust'>,
): void {
  const verifier = createVerifier(trust)
  const fault = parent && delegateNameFault(token, [parent, ...ancestorsOf(parent, verifier.find)], verifier)
  if (fault === undefined) return
  const code = fault === 'Token names the owner' ? 'forbidden' : 'invalid-input'
  throw new DaybookError(code, `\`granted_to\`: ${nameFaults[fault]}.`, {
    details: { path: 'granted_to', reason: fault },
  })
}

/** Stores a verified token, and returns the stored one. Throws `conflict` if another token has or had its id. */
function storeOnce(token: ControlToken, at: WriteContext<'trust'>): ControlToken {
  const existing = findToken(at.trust.ledger, token.token_id)
  if (existing && signedText(existing) === signedText(token)) return existing
  if (existing || at.trust.ledger.get(token.token_id) || at.trust.ledger.wasForgotten(token.token_id)) {
    throw new DaybookError('conflict', `The id \`${token.token_id}\` is or was used by another token.`, {
      details: { path: 'token_id' },
    })
  }
  at.trust.ledger.put({ kind: 'token', id: token.token_id, body: token as unknown as JsonObject })
  return token
}

/** Adds the signing key to the book's keys, if it is not there. Throws `forbidden` for a key that was withdrawn. */
function addSigningKey(key: string, at: WriteContext<'trust'>): void {
  if (at.trust.ledger.get(key)?.kind === 'key') return
  if (at.trust.ledger.wasForgotten(key))
    throw new DaybookError('forbidden', 'The key of this device was withdrawn from the book.')
  at.trust.ledger.put({ kind: 'key', id: key, body: { added_at: at.call.now } })
}

async function storeToken(token: ControlToken, at: TaskContext<'records' | 'trust'>): Promise<ControlToken> {
  const guest = guestOf(at.call)
  const verifier = createVerifier(at.trust)
  assertMayChooseId(token.token_id, at.call)
  if (guest && !token.delegation_chain.includes(guest.token))
    throw new DaybookError('forbidden', 'The token is not below that of the caller.', {
      details: { path: 'delegation_chain' },
    })
  const fault = await storeFault(token, at.trust.time(), verifier)
  if (fault)
    throw new DaybookError('invalid-input', `${fault}: the token was not stored.`, {
      details: { path: 'token', reason: fault },
    })
  return at.records.write((write) => storeOnce(token, write))
}

export const tokenCapabilities = [
  defineCapability({
    id: 'kstar:grant_control_token',
    runs: 'keys',
    permission: 'delegation',
    methods: ['tokens.grant'],
    summary:
      'Makes and signs a control token with permissions, scope and an end, optionally below another one.',
    input: z.strictObject({
      token_id: tokenId.optional(),
      type: tokenType.default('capability_grant'),
      scope: scopePattern,
      /** Further scopes that are allowed, beside `scope`. */
      allow: allowPatterns.optional(),
      /** Scopes that are denied, even if they are allowed too. A child inherits its parent's denials. */
      deny: denyPatterns.optional(),
      permissions,
      granted_to: principal,
      /**
       * Bare dates are whole days in the zone of the book: from the beginning of the first to the end of the last.
       */
      not_before: instantOrDay.optional(),
      expires_at: instantOrDay,
      /**
       * The id of the token above this one; this token can only be narrower. Default: a guest's own token, or none.
       */
      parent: tokenId.optional(),
    }),
    output: z.object({
      token: controlToken,
      /**
       * The token and its secret as one text, for callers over HTTP. The text grants access by itself. It is stored
       * nowhere and returned once: a repeated call with the same `requestId` returns the token without it.
       */
      bearer: z.string().optional(),
    }),
    effect: 'task',
    isQueued: false,
    repeatable: true,
    uses: ['records', 'trust'],
    async run({ parent: parentId, ...fields }, at) {
      const request = canonicalSpan(fields, at.call.zone)
      assertMayChooseId(request.token_id, at.call)
      const parent = findParent(parentId, at)
      if (request.expires_at <= at.trust.time()) throw invalidInput('expires_at', 'It is in the past')
      if (request.not_before !== undefined && request.not_before >= request.expires_at)
        throw invalidInput('not_before', 'It is not before `expires_at`')
      const signer = await requireSigner(at.trust.keys)
      const notBefore = latestOf(request.not_before, parent?.not_before)
      const secret = makeSecret(at.trust.random.bytes)
      const deny = [...new Set([...(request.deny ?? []), ...(parent?.deny ?? [])])]
      const claims = {
        type: request.type,
        scope: request.scope,
        ...(request.allow?.length ? { allow: request.allow } : {}),
        ...(deny.length > 0 ? { deny } : {}),
        permissions: request.permissions,
        granted_to: request.granted_to,
        token_id: request.token_id ?? idPrefixes.token + toBase64Url(at.trust.random.bytes(16)),
        granted_by: signer.key,
        granted_at: at.call.now,
        ...defined({ not_before: notBefore }),
        expires_at: request.expires_at,
        delegation_chain: parent ? [parent.token_id, ...parent.delegation_chain] : [],
        lineage_hash: await lineageHash(parent, at.trust.digest.sha256),
        secret_hash: await at.trust.digest.sha256(secret),
        revoked: false,
      }
      const fault = parent && linkFault(parent, claims)
      if (fault !== undefined)
        throw new DaybookError('forbidden', `It can't be granted below \`${parent?.token_id}\`: ${fault}.`, {
          details: { path: 'parent' },
        })
      // The check reads no signature.
      assertHolderName({ ...claims, signature: '' }, parent, at)
      assertTypeAllows(claims, at.records)
      const token = { ...claims, signature: await signer.sign(signedText(claims)) }
      const stored = await at.records.write((write) => {
        addSigningKey(signer.key, write)
        return storeOnce(token, write)
      })
      // A repeated call gets the first token; the first call returned its secret.
      const isNew = stored.secret_hash === claims.secret_hash
      return { token: stored, ...(isNew ? { bearer: toBearer(stored, secret) } : {}) }
    },
  }),
  defineCapability({
    id: 'kstar:store_control_token',
    permission: 'delegation',
    methods: ['tokens.store'],
    summary: 'Stores a token that somebody else signed, once its signature and its whole chain are verified.',
    input: controlToken,
    output: z.object({ token_id: z.string() }),
    effect: 'task',
    repeatable: true,
    uses: ['records', 'trust'],
    async run(token, at) {
      return { token_id: (await storeToken(token, at)).token_id }
    },
  }),
  defineCapability({
    id: 'kstar:revoke_control_token',
    impact: 'ends',
    permission: 'delegation',
    methods: ['tokens.revoke'],
    summary: 'Revokes a token and all its descendants, for good; the mirror learns it at once.',
    input: z.strictObject({ token_id: tokenId, reason: z.string().max(2000).default('') }),
    output: z.object({
      /** False if there is no such token. */
      revoked: z.boolean(),
      revoked_at: z.string().optional(),
    }),
    effect: 'write',
    uses: ['trust'],
    run({ token_id, reason }, at) {
      const guest = at.call.caller.role === 'guest' ? at.call.caller : undefined
      const token = findToken(at.trust.ledger, token_id)
      const mayRevoke = !guest || token_id === guest.token || token?.delegation_chain.includes(guest.token)
      if (!token || !mayRevoke) return { revoked: false }
      const revoked_at = token.revoked_at ?? at.call.now
      if (!token.revoked) {
        const body = { ...token, revoked: true, revoked_at, revocation_reason: reason }
        at.trust.ledger.put({ kind: 'token', id: token_id, body: body as unknown as JsonObject })
      }
      return { revoked: true, revoked_at }
    },
  }),
] as const
