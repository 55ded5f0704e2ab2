// The verbs that change control tokens: grant, store, revoke. Those that read them are token-read-capability.ts.
import { z } from 'zod'
import { latestOf, spanOf } from '../core/calendar/day.ts'
import { defineCapability } from '../core/capability/capability.ts'
import type { Guest } from '../core/capability/caller.ts'
import type { CallPort, ReadContext, TaskContext, WriteContext } from '../core/capability/context.ts'
import { DaybookError } from '../core/errors.ts'
import type { JsonObject } from '../core/json/path.ts'
import { toBase64Url } from '../shape/encoded-bytes.ts'
import { instantOrDay } from '../shape/instant.ts'
import { nameFaults } from './holder.ts'
import { needSigner } from './keyring.ts'
import { lineageHash, linkFault, makeSecret, signedText, toBearer } from './token.ts'
import { createVerifier, findToken } from './token-ledger.ts'
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
import { checkType } from './token-type.ts'
import { ancestorsOf, delegateFault, keepFault, standing } from './verify.ts'

const guestOf = ({ caller }: Pick<CallPort, 'caller'>): Guest | undefined =>
  caller.role === 'guest' ? caller : undefined

const wrong = (path: string, message: string) =>
  new DaybookError('invalid-input', `\`${path}\`: ${message}.`, { details: { path } })

/** The parent of a new token, when there is one: named, or for a guest its own token. It must stand. */
function parentOf(named: string | undefined, at: ReadContext<'trust'>): ControlToken | undefined {
  const guest = guestOf(at.call)
  const id = named ?? guest?.token
  if (id === undefined) return undefined
  const verifier = createVerifier(at.trust)
  const parent = verifier.find(id)
  const isKnown =
    parent && (!guest || parent.token_id === guest.token || parent.delegation_chain.includes(guest.token))
  const fault = isKnown ? standing(parent, verifier, at.trust.time()) : 'Token not found'
  if (fault)
    throw new DaybookError('forbidden', `${fault}: nothing is granted below it.`, {
      details: { path: 'parent' },
    })
  return parent
}

/** Under an id that the owner may have given to something a guest would learn from the answer whether it is taken. */
function checkTokenId(id: string | undefined, call: CallPort): void {
  if (!guestOf(call) || id === undefined || id.startsWith('token-')) return
  throw new DaybookError('forbidden', '`token_id`: Leave it out, or begin it with `token-`.', {
    details: { path: 'token_id' },
  })
}

/** No delegate is called as the owner is, as the agent that writes for the owner, or as a holder above it. */
function checkHolder(
  token: ControlToken,
  parent: ControlToken | undefined,
  { trust }: Pick<ReadContext<'trust'>, 'trust'>,
): void {
  const by = createVerifier(trust)
  const fault = parent && delegateFault(token, [parent, ...ancestorsOf(parent, by.find)], by)
  if (fault === undefined) return
  const code = fault === 'Token names the owner' ? 'forbidden' : 'invalid-input'
  throw new DaybookError(code, `\`granted_to\`: It can't be granted: ${nameFaults[fault]}.`, {
    details: { path: 'granted_to', reason: fault },
  })
}

/** Stores a token that was verified, unless another of its id is there; answers the one that is. */
function keep(token: ControlToken, at: WriteContext<'trust'>): ControlToken {
  const known = findToken(at.trust.ledger, token.token_id)
  if (known && signedText(known) === signedText(token)) return known
  if (known || at.trust.ledger.get(token.token_id) || at.trust.ledger.wasForgotten(token.token_id)) {
    throw new DaybookError('conflict', `There is, or was, another token \`${token.token_id}\`.`, {
      details: { path: 'token_id' },
    })
  }
  at.trust.ledger.put({ kind: 'token', id: token.token_id, body: token as unknown as JsonObject })
  return token
}

/** Makes the key that signs one of the book's, the first time. One that was withdrawn stays so. */
function enrol(key: string, at: WriteContext<'trust'>): void {
  if (at.trust.ledger.get(key)?.kind === 'key') return
  if (at.trust.ledger.wasForgotten(key))
    throw new DaybookError('forbidden', 'The key of this device was withdrawn from the book.')
  at.trust.ledger.put({ kind: 'key', id: key, body: { added_at: at.call.now } })
}

async function storeToken(token: ControlToken, at: TaskContext<'records' | 'trust'>): Promise<ControlToken> {
  const guest = guestOf(at.call)
  const verifier = createVerifier(at.trust)
  checkTokenId(token.token_id, at.call)
  if (guest && !token.delegation_chain.includes(guest.token))
    throw new DaybookError('forbidden', 'It is not below the token of the caller.', {
      details: { path: 'delegation_chain' },
    })
  const fault = await keepFault(token, at.trust.time(), verifier)
  if (fault)
    throw new DaybookError('invalid-input', `${fault}: it is not stored.`, {
      details: { path: 'token', reason: fault },
    })
  return at.records.write((write) => keep(token, write))
}

export const tokenCapabilities = [
  defineCapability({
    id: 'kstar:grant_control_token',
    runs: 'keys',
    permission: 'delegation',
    methods: ['tokens.grant'],
    summary:
      'Makes and signs a control token: what its holder may do, where, until when; below another one if asked.',
    input: z.strictObject({
      token_id: tokenId.optional(),
      type: tokenType.default('capability_grant'),
      scope: scopePattern,
      /** Further patterns: what one of them or `scope` stands for is reached. */
      allow: allowPatterns.optional(),
      /** What is never reached, by whatever name: wins over all that is allowed. What the parent denies is denied below it. */
      deny: denyPatterns.optional(),
      permissions,
      granted_to: principal,
      /** Bare dates stand for whole days in the zone of the book: from the beginning of the one to the end of the other. */
      not_before: instantOrDay.optional(),
      expires_at: instantOrDay,
      /** The token below which this one is: it can only be narrower. A guest grants below its own. */
      parent: tokenId.optional(),
    }),
    output: z.object({
      token: controlToken,
      /**
       * The token and its secret as one text, for callers over HTTP. Who has it has what it grants. It is kept nowhere and
       * shown this once: who repeats the call under its `requestId` is given the token without it.
       */
      bearer: z.string().optional(),
    }),
    effect: 'task',
    isQueued: false,
    repeatable: true,
    uses: ['records', 'trust'],
    async run({ parent: named, ...given }, at) {
      const asked = spanOf(given, at.call.zone)
      checkTokenId(asked.token_id, at.call)
      const parent = parentOf(named, at)
      if (asked.expires_at <= at.trust.time()) throw wrong('expires_at', 'It lies in the past')
      if (asked.not_before !== undefined && asked.not_before >= asked.expires_at)
        throw wrong('not_before', 'It begins when it has ended')
      const signer = await needSigner(at.trust.keys)
      const begins = latestOf(asked.not_before, parent?.not_before)
      const secret = makeSecret(at.trust.random.bytes)
      const denied = [...new Set([...(asked.deny ?? []), ...(parent?.deny ?? [])])]
      const claims = {
        type: asked.type,
        scope: asked.scope,
        ...(asked.allow?.length ? { allow: asked.allow } : {}),
        ...(denied.length > 0 ? { deny: denied } : {}),
        permissions: asked.permissions,
        granted_to: asked.granted_to,
        token_id: asked.token_id ?? `token-${toBase64Url(at.trust.random.bytes(16))}`,
        granted_by: signer.key,
        granted_at: at.call.now,
        ...(begins === undefined ? {} : { not_before: begins }),
        expires_at: asked.expires_at,
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
      checkHolder({ ...claims, signature: '' }, parent, at)
      checkType(claims, at.records)
      const token = { ...claims, signature: await signer.sign(signedText(claims)) }
      const kept = await at.records.write((write) => {
        enrol(signer.key, write)
        return keep(token, write)
      })
      // What was granted the first time has the secret that was shown then.
      const isNew = kept.secret_hash === claims.secret_hash
      return { token: kept, ...(isNew ? { bearer: toBearer(kept, secret) } : {}) }
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
    permission: 'delegation',
    methods: ['tokens.revoke'],
    summary: 'Revokes a token and with it all its descendants, for good; the mirror is told at once.',
    input: z.strictObject({ token_id: tokenId, reason: z.string().max(2000).default('') }),
    output: z.object({
      /** False when there is no such token. */
      revoked: z.boolean(),
      revoked_at: z.string().optional(),
    }),
    effect: 'write',
    uses: ['trust'],
    run({ token_id, reason }, at) {
      const guest = at.call.caller.role === 'guest' ? at.call.caller : undefined
      const token = findToken(at.trust.ledger, token_id)
      const isTheirs = !guest || token_id === guest.token || token?.delegation_chain.includes(guest.token)
      if (!token || !isTheirs) return { revoked: false }
      const revoked_at = token.revoked_at ?? at.call.now
      if (!token.revoked) {
        const body = { ...token, revoked: true, revoked_at, revocation_reason: reason }
        at.trust.ledger.put({ kind: 'token', id: token_id, body: body as unknown as JsonObject })
      }
      return { revoked: true, revoked_at }
    },
  }),
] as const
