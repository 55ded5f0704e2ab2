// Turns credentials into a guest of the book, or its owner.
// Invariant: a token is accepted only if it is stored here, signed down from a key of this book's owner, unrevoked
// and in its time, with all its ancestors; an access key only if it is stored here, unrevoked and in its time;
// stored data alone admits nobody; a write checks again.
import { idPrefixes } from '../core/text/name-id.ts'
import type { Caller, ChainHolder, Guest } from '../core/capability/caller.ts'
import type { Accessor } from '../core/capability/access-log.ts'
import type { Ledger } from '../core/capability/port/record-port.ts'
import type { TrustPort } from '../core/capability/context.ts'
import { DaybookError } from '../core/errors.ts'
import { isAgentDid } from '../shape/did.ts'
import type { Grant } from '../core/access/grant.ts'
import type { Clock } from '../core/ports.ts'
import { bodyOf } from '../core/record.ts'
import { timingSafeEqual } from '../core/address.ts'
import { formatTime } from '../core/time.ts'
import { readReach } from '../core/access/reach.ts'
import { defined } from '../core/defined.ts'
import { findAgentKey } from './agent/agent-key.ts'
import {
  checkSignature,
  checkFields,
  signedRequestError,
  type SignedRequest,
} from './agent/signed-request.ts'
import {
  accessKeyBody,
  type AccessKeyBody,
  parseAccessKeyId,
  hasAccessKeyPrefix,
  keyFault,
  grantOfKey,
} from './access-key.ts'
import type { ControlToken } from './token-schema.ts'
import {
  ancestorsOf,
  createVerifier,
  type TokenFault,
  stateFault,
  type Verifier,
  verifyToken,
} from './verify-token.ts'
import { parseBearer, type Holder, holdersOf, isOutdatedBearer, matchesStored, signedText } from './token.ts'

/** Credentials of a call, before they are verified. */
export interface Credentials {
  /** The id of a stored token. A list: each token must be granted below the one before, and the last one counts. */
  readonly as?: string | readonly string[] | undefined
  readonly bearer?: string
  /** Claims that the host has verified. */
  readonly grant?: Grant
  /** A request signed by an agent. The caller of this module must check that the nonce was not used before. */
  readonly signed?: SignedRequest
}

/** Credentials as far as they name a caller, without proof. */
type UnprovenCredentials = Omit<Credentials, 'signed'> & { readonly signed?: Pick<SignedRequest, 'did'> }

export interface AdmittedCaller {
  readonly caller: Caller
  /** Identifies the caller: the id of a token or key, or the name in the claims; `owner` for the owner. */
  readonly id: string
  /** The caller whose quota the call uses: for a token, the token at the top of its chain. Default: `id`. */
  readonly payer?: string
  /** When verified claims end, in milliseconds since 1970 UTC. */
  readonly untilMs?: number | undefined
  /** When the token or key ends, unless it is revoked earlier; milliseconds since 1970 UTC. */
  readonly endsMs?: number | undefined
  /** For a signed request: its nonce must not be used again until then; milliseconds since 1970 UTC. */
  readonly nonceUntilMs?: number
}

/** Fields of an admitted caller that `recheckIdentity` needs. */
export interface CallerIdentity extends Pick<AdmittedCaller, 'id' | 'payer' | 'untilMs' | 'endsMs'> {
  readonly by: Guest['by'] | 'owner' | 'token'
}

/** The credentials with which a caller was admitted. */
function credentialTypeOf({ id, caller, untilMs }: AdmittedCaller): CallerIdentity['by'] {
  // Owner's claims without an end pass as `owner`: both are never checked again.
  if (untilMs !== undefined) return 'claims'
  if (caller.role === 'guest') return caller.by ?? 'token'
  return id.startsWith(idPrefixes.access_key) ? 'key' : 'owner'
}

/** The identity of a caller that was just admitted. */
export function identityOf(admitted: AdmittedCaller): CallerIdentity {
  const { id, payer, untilMs, endsMs = untilMs } = admitted
  return {
    id,
    ...defined({ payer }),
    by: credentialTypeOf(admitted),
    untilMs,
    ...defined({ endsMs }),
  }
}

/** The caller whose quota a call uses. */
export const quotaOwnerOf = ({ id, payer = id }: Pick<AdmittedCaller, 'id' | 'payer'>): string => payer

interface AdmissionDeps extends Pick<TrustPort, 'keys' | 'digest' | 'owner'> {
  readonly ledger: Pick<Ledger, 'get'>
  readonly clock: Clock
  /** The latest known time: an expired token stays expired, even if the clock is set back. */
  readonly latestTime: { now(): number }
}

const unauthorized = (reason: string) =>
  new DaybookError('unauthorized', `${reason}.`, { details: { reason } })

const notBelowError = ({ token_id }: ControlToken) =>
  new DaybookError('forbidden', `Only a token granted below \`${token_id}\` can be used with it.`, {
    details: { path: 'as' },
  })

/** The error is the same for a token of another book and a token that does not exist. */
const tokenError = (state: TokenFault | undefined) =>
  unauthorized(state === undefined || state === 'Token of another book' ? 'Token not found' : state)

/** Throws `unauthorized` for a text that can't be a token or key of any book. */
export function assertBearerForm(bearer: string): void {
  if (isOutdatedBearer(bearer))
    throw unauthorized('Tokens of this form are no longer accepted: its owner must grant a new one')
  if (parseAccessKeyId(bearer) === undefined && !parseBearer(bearer)) throw unknownBearerError(bearer)
}

/**
 * The error for a token or access key that is not in the book. It is the same for a missing, an existing and an erased
 * book.
 */
export const unknownBearerError = (bearer?: string) =>
  unauthorized(bearer !== undefined && hasAccessKeyPrefix(bearer) ? 'Key not found' : 'Token not found')

const toChainHolder = ({ name, writesAs }: Holder): ChainHolder => ({
  names: name === writesAs ? [name] : [name, writesAs],
  agent: writesAs,
})

/** Prefix of an agent's caller id, before its DID. */
const agentIdPrefix = 'a2p:'
/** Scope of agents: memories by their types and categories, and nothing else of the book. Policies narrow it. */
const agentReach = readReach({ scope: 'a2p:**', allow: ['ext:**'] })
/** Verbs that an agent may call; policies decide about the data. */
const agentVerbs = [
  'a2p:get_profile',
  'a2p:query_memories',
  'a2p:propose',
  'a2p:list_proposals',
  'a2p:withdraw',
  'a2p:get_agent',
  'consent:request',
  'consent:receipts',
  'consent:revoke',
]

function admittedAgent(did: string): AdmittedCaller {
  const id = agentIdPrefix + did
  const reach = agentReach ?? { allow: [], deny: [] }
  return {
    id,
    caller: {
      role: 'guest',
      token: id,
      agent: did,
      reach,
      permissions: agentVerbs,
      proposesByPolicy: true,
      by: 'claims',
    },
  }
}

/** Most tokens whose verified signatures are cached. */
const maxVerifiedTokens = 256

export class Admission {
  readonly #ledger: Pick<Ledger, 'get'>
  readonly #clock: Clock
  readonly #latestTime: { now(): number }
  readonly #crypto: Pick<TrustPort, 'keys' | 'digest'>
  readonly #verifier: Verifier
  /** By token id: all that the signatures of a verified token and its ancestors cover. */
  readonly #verified = new Map<string, string>()

  constructor({ clock, latestTime, ...deps }: AdmissionDeps) {
    this.#clock = clock
    this.#latestTime = latestTime
    this.#ledger = deps.ledger
    this.#crypto = deps
    this.#verifier = createVerifier(deps)
  }

  /** True if the call has credentials. A call without credentials is the owner's. */
  hasCredentials({ as: id, bearer, grant, signed }: Credentials): boolean {
    return [id, bearer, grant, signed].some((credential) => credential !== undefined)
  }

  /**
   * The caller with these credentials. Throws `unauthorized` with the reason; `forbidden` if a token in `as` is not
   * below the one before.
   */
  async admit({ as: id, bearer, grant, signed }: Credentials): Promise<AdmittedCaller> {
    if (signed) return this.#admitAgent(signed)
    const now = formatTime(this.#latestTime.now())
    if (grant) return this.#admitGrant(grant, 'claims')
    if (bearer !== undefined && hasAccessKeyPrefix(bearer)) return this.#admitKey(bearer, now)
    if (bearer === undefined && id === undefined) return { id: 'owner', caller: { role: 'owner' } }
    const token =
      bearer === undefined
        ? await this.#lastOfChain(id, now)
        : await this.#assertValidToken(await this.#findPresented(bearer), now)
    const endsMs = Math.min(...this.#chainOf(token).map(({ expires_at: expiresAt }) => Date.parse(expiresAt)))
    return { id: token.token_id, payer: rootIdOf(token), caller: this.#toGuest(token), endsMs }
  }

  /**
   * The caller that credentials name, without proof; for calls that were not admitted. Undefined if they name no
   * token, key or agent of this book.
   */
  claimedCaller({ as: id, bearer, grant, signed }: UnprovenCredentials): Accessor | undefined {
    if (signed) {
      const { did } = signed
      const isRegistered = isAgentDid(did) && findAgentKey(this.#ledger, did) !== undefined
      return isRegistered ? { caller: did, by: 'claims', id: agentIdPrefix + did } : undefined
    }
    if (grant) return { caller: grant.agent, by: 'claims', id: grant.id }
    if (bearer !== undefined && hasAccessKeyPrefix(bearer)) {
      const keyId = parseAccessKeyId(bearer)
      const key = keyId === undefined ? undefined : this.#findAccessKey(keyId)
      return key && { caller: key.holder, by: 'key', id: keyId as string }
    }
    // The last of several tokens is the caller's, because each is narrower than the one before.
    const storedId = typeof id === 'string' ? id : id?.at(-1)
    const token = this.#verifier.find(
      (bearer === undefined ? storedId : parseBearer(bearer)?.token.token_id) ?? '',
    )
    return token && { caller: this.#holdersOf(token)[0]?.writesAs ?? '', by: 'token', id: token.token_id }
  }

  /** Throws `unauthorized` if the token or key has ended since the admission. Call it in a transaction. */
  recheckGuest({ token: id, by }: Guest, now: string): void {
    this.recheckIdentity({ id, by: by ?? 'token' }, now)
  }

  /** The same for the identity of any caller, also the owner. `callTime`: canonical UTC text. */
  recheckIdentity({ id, by, untilMs }: CallerIdentity, callTime: string): void {
    const latest = formatTime(this.#latestTime.now())
    const now = callTime > latest ? callTime : latest
    if (untilMs !== undefined && formatTime(untilMs) <= now) throw unauthorized('Token expired')
    // Claims are verified for one request, or until they end. An agent's key may be withdrawn earlier.
    if (by === 'claims' && id.startsWith(agentIdPrefix)) {
      this.#agentKeyOf(id.slice(agentIdPrefix.length))
      return
    }
    if (by === 'claims' || by === 'owner') return
    if (by === 'key') {
      const body = this.#findAccessKey(id)
      const fault = body ? keyFault(body, now) : 'Key not found'
      if (fault !== undefined) throw unauthorized(fault)
      return
    }
    const fault = stateFault(this.#verifier.find(id), this.#verifier, now)
    if (fault) throw tokenError(fault)
  }

  /** The token and its ancestors, the nearest first. */
  #chainOf(token: ControlToken): ControlToken[] {
    return [token, ...ancestorsOf(token, this.#verifier.find)]
  }

  #holdersOf(token: ControlToken): Holder[] {
    return holdersOf(token, ancestorsOf(token, this.#verifier.find))
  }

  async #assertValidToken(token: ControlToken | undefined, now: string): Promise<ControlToken> {
    // A key may be withdrawn, so check the state each time.
    const invalid = stateFault(token, this.#verifier, now)
    if (!token || invalid) throw tokenError(invalid)
    // All content that the signatures of the chain cover: the same text gives the same result.
    const signedChain = this.#chainOf(token)
      .map((link) => `${signedText(link)} ${link.signature}`)
      .join('\n')
    if (this.#verified.get(token.token_id) === signedChain) return token
    const fault = await verifyToken(token, {}, now, this.#verifier)
    if (fault) throw unauthorized(fault)
    if (this.#verified.size >= maxVerifiedTokens)
      this.#verified.delete(this.#verified.keys().next().value ?? '')
    this.#verified.set(token.token_id, signedChain)
    return token
  }

  #toGuest(token: ControlToken): Guest {
    const { token_id, permissions } = token
    const reach = readReach(token)
    if (!reach) throw unauthorized('Scope mismatch')
    const holders = this.#holdersOf(token).map(toChainHolder)
    const agent = holders[0]?.agent ?? ''
    const chain = holders.length > 1 ? { holders } : {}
    return { role: 'guest', token: token_id, agent, ...chain, reach, permissions }
  }

  /** The stored token of a bearer text. The error is the same for an unknown token and a made-up one. */
  async #findPresented(bearer: string): Promise<ControlToken> {
    assertBearerForm(bearer)
    const presented = parseBearer(bearer)
    const stored = presented && this.#verifier.find(presented.token.token_id)
    if (!stored || !(await matchesStored(presented, stored, this.#crypto.digest.sha256)))
      throw unauthorized('Token not found')
    return stored
  }

  /**
   * The last of several tokens. Throws `forbidden` unless each is below the one before, so that naming another
   * token gives no further rights.
   */
  async #lastOfChain(ids: Credentials['as'], now: string): Promise<ControlToken> {
    const tokenIds: unknown[] = Array.isArray(ids) ? ids : [ids]
    let previous: ControlToken | undefined
    for (const id of tokenIds) {
      const token = typeof id === 'string' ? this.#verifier.find(id) : undefined
      // The error is the same for an unknown token and a token that is not below.
      if (previous && ![token?.token_id, ...(token?.delegation_chain ?? [])].includes(previous.token_id))
        throw notBelowError(previous)
      previous = await this.#assertValidToken(token, now)
    }
    return previous ?? this.#assertValidToken(undefined, now)
  }

  #findAccessKey(id: string): AccessKeyBody | undefined {
    const record = this.#ledger.get(id)
    return record?.kind === 'access_key' ? accessKeyBody.safeParse(bodyOf(record)).data : undefined
  }

  async #admitKey(bearer: string, now: string): Promise<AdmittedCaller> {
    const id = parseAccessKeyId(bearer)
    const body = id === undefined ? undefined : this.#findAccessKey(id)
    const hash = await this.#crypto.digest.sha256(bearer)
    if (id === undefined || !body || !timingSafeEqual(body.hash, hash)) throw unauthorized('Key not found')
    const fault = keyFault(body, now)
    if (fault !== undefined) throw unauthorized(fault)
    const endsMs = body.expires_at === undefined ? undefined : Date.parse(body.expires_at)
    return { ...this.#admitGrant(grantOfKey(id, body), 'key'), endsMs }
  }

  #admitGrant(grant: Grant, by: 'key' | 'claims'): AdmittedCaller {
    const { id, owner = false, agent, permissions, push, pull, untilMs } = grant
    // The host verified the claims by the clock, which may have been set back.
    if (
      untilMs !== undefined &&
      untilMs <= this.#latestTime.now() &&
      this.#latestTime.now() > this.#clock.now()
    )
      throw unauthorized('Token expired')
    if (owner) return { id, untilMs, caller: { role: 'owner' } }
    const reach = readReach(grant)
    if (!reach) throw unauthorized('Scope mismatch')
    const granted = { push, pull }
    const caller: Caller = { role: 'guest', token: id, agent, reach, permissions, by, granted }
    return { id, untilMs, caller }
  }

  /** The key of a registered agent. Throws if the agent is not registered, or its key was withdrawn. */
  #agentKeyOf(did: string): string {
    const agentKey = findAgentKey(this.#ledger, did)
    if (!agentKey || agentKey.revoked) throw signedRequestError('Agent not registered', 'did')
    return agentKey.key
  }

  async #admitAgent(signed: SignedRequest): Promise<AdmittedCaller> {
    const { nonceUntilMs } = checkFields(signed, this.#clock.now())
    await checkSignature(signed, this.#agentKeyOf(signed.did), this.#crypto)
    return { ...admittedAgent(signed.did), nonceUntilMs }
  }
}

/** The id of the token at the top of a chain. All tokens below use its quota. */
const rootIdOf = ({ token_id, delegation_chain }: ControlToken): string => delegation_chain.at(-1) ?? token_id
