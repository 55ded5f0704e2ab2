// Turns credentials into a guest of the book, or its owner.
// Invariant: a token is accepted only if it is stored here, signed down from a key of this book's owner, unrevoked
// and in its time, with all its ancestors; an access key only if it is stored here, unrevoked and in its time;
// stored data alone admits nobody; a write checks again.
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
import { checkSignature, checkSigned, refuseSigned, type SignedRequest } from './agent/signed-request.ts'
import {
  accessKeyBody,
  type AccessKeyBody,
  accessKeyId,
  isAccessKey,
  keyFault,
  toGrant,
} from './access-key.ts'
import type { ControlToken } from './token-schema.ts'
import { ancestorsOf, createVerifier, type Reason, standing, type Verifier, verifyToken } from './verify.ts'
import { fromBearer, type Holder, holdersOf, isOutdatedBearer, isPresented, signedText } from './token.ts'

/** Credentials of a call, before they are verified. */
export interface Presented {
  /** The id of a stored token. A list: each token must be granted below the one before, and the last one counts. */
  readonly as?: string | readonly string[]
  readonly bearer?: string
  /** Claims that the host has verified. */
  readonly grant?: Grant
  /** A request signed by an agent. The caller of this module must check that the nonce was not used before. */
  readonly signed?: SignedRequest
}

/** Credentials as far as they name a caller, without proof. */
type Claimed = Omit<Presented, 'signed'> & { readonly signed?: Pick<SignedRequest, 'did'> }

export interface Admitted {
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

/** Fields of an admitted caller that a later check needs. */
export interface Standing extends Pick<Admitted, 'id' | 'payer' | 'untilMs' | 'endsMs'> {
  readonly by: Guest['by'] | 'owner' | 'token'
}

/** The standing of a caller that was just admitted. */
export function standingOf({ id, payer, caller, untilMs, endsMs = untilMs }: Admitted): Standing {
  const by = caller.role === 'guest' ? (caller.by ?? 'token') : id.startsWith('key-') ? 'key' : 'owner'
  return {
    id,
    ...defined({ payer }),
    by: untilMs === undefined ? by : 'claims',
    untilMs,
    ...defined({ endsMs }),
  }
}

/** The caller whose quota a call uses. */
export const payerOf = ({ id, payer = id }: Pick<Admitted, 'id' | 'payer'>): string => payer

interface AdmissionParts extends Pick<TrustPort, 'keys' | 'digest' | 'owner'> {
  readonly ledger: Pick<Ledger, 'get'>
  readonly clock: Clock
  /** The latest known time: an expired token stays expired, even if the clock is set back. */
  readonly seen: { now(): number }
}

const refuse = (reason: string) => new DaybookError('unauthorized', `${reason}.`, { details: { reason } })

const notBelow = ({ token_id }: ControlToken) =>
  new DaybookError('forbidden', `Only a token granted below \`${token_id}\` can be used with it.`, {
    details: { path: 'as' },
  })

/** The error is the same for a token of another book and a token that does not exist. */
const refused = (state: Reason | undefined) =>
  refuse(state === undefined || state === 'Token of another book' ? 'Token not found' : state)

/** Throws `unauthorized` for a text that can't be a token or key of any book. */
export function checkBearer(bearer: string): void {
  if (isOutdatedBearer(bearer))
    throw refuse('Tokens of this form are no longer accepted: its owner must grant a new one')
  if (accessKeyId(bearer) === undefined && !fromBearer(bearer)) throw refuse('Token not found')
}

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

function agentAdmitted(did: string): Admitted {
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
const verifiedLimit = 256

export class Admission {
  readonly #ledger: Pick<Ledger, 'get'>
  readonly #clock: Clock
  readonly #seen: { now(): number }
  readonly #crypto: Pick<TrustPort, 'keys' | 'digest'>
  readonly #verifier: Verifier
  /** By token id: all that the signatures of a verified token and its ancestors cover. */
  readonly #verified = new Map<string, string>()

  constructor({ clock, seen, ...parts }: AdmissionParts) {
    this.#clock = clock
    this.#seen = seen
    this.#ledger = parts.ledger
    this.#crypto = parts
    this.#verifier = createVerifier(parts)
  }

  /** True if the call has credentials. A call without credentials is the owner's. */
  hasCredentials({ as: id, bearer, grant, signed }: Presented): boolean {
    return [id, bearer, grant, signed].some((one) => one !== undefined)
  }

  /**
   * The caller with these credentials. Throws `unauthorized` with the reason; `forbidden` if a token in `as` is not
   * below the one before.
   */
  async admit({ as: id, bearer, grant, signed }: Presented): Promise<Admitted> {
    if (signed) return this.#admitAgent(signed)
    const now = formatTime(this.#seen.now())
    if (grant) return this.#admitGrant(grant, 'claims')
    if (bearer !== undefined && isAccessKey(bearer)) return this.#admitKey(bearer, now)
    if (bearer === undefined && id === undefined) return { id: 'owner', caller: { role: 'owner' } }
    const token =
      bearer === undefined
        ? await this.#lowest(id, now)
        : await this.#check(await this.#presented(bearer), now)
    const endsMs = Math.min(...this.#chainOf(token).map(({ expires_at: end }) => Date.parse(end)))
    return { id: token.token_id, payer: topOf(token), caller: this.#toGuest(token), endsMs }
  }

  /**
   * The caller that credentials name, without proof; for calls that were not admitted. Undefined if they name no
   * token, key or agent of this book.
   */
  claimant({ as: id, bearer, grant, signed }: Claimed): Accessor | undefined {
    if (signed) {
      const { did } = signed
      const isRegistered = isAgentDid(did) && findAgentKey(this.#ledger, did) !== undefined
      return isRegistered ? { caller: did, by: 'claims', id: agentIdPrefix + did } : undefined
    }
    if (grant) return { caller: grant.agent, by: 'claims', id: grant.id }
    if (bearer !== undefined && isAccessKey(bearer)) {
      const keyId = accessKeyId(bearer)
      const key = keyId === undefined ? undefined : this.#findKey(keyId)
      return key && { caller: key.holder, by: 'key', id: keyId as string }
    }
    // The last of several tokens is the caller's, because each is narrower than the one before.
    const stored = typeof id === 'string' ? id : id?.at(-1)
    const token = this.#verifier.find(
      (bearer === undefined ? stored : fromBearer(bearer)?.token.token_id) ?? '',
    )
    return token && { caller: this.#holdersOf(token)[0]?.writesAs ?? '', by: 'token', id: token.token_id }
  }

  /** Throws `unauthorized` if the token or key has ended since the admission. Call it in a transaction. */
  recheck({ token: id, by }: Guest, now: string): void {
    this.recheckAll({ id, by: by ?? 'token' }, now)
  }

  recheckAll({ id, by, untilMs }: Standing, at: string): void {
    const latest = formatTime(this.#seen.now())
    const now = at > latest ? at : latest
    if (untilMs !== undefined && formatTime(untilMs) <= now) throw refuse('Token expired')
    // Claims are verified for one request, or until they end. An agent's key may be withdrawn earlier.
    if (by === 'claims' && id.startsWith(agentIdPrefix)) {
      this.#agentKeyOf(id.slice(agentIdPrefix.length))
      return
    }
    if (by === 'claims' || by === 'owner') return
    if (by === 'key') {
      const body = this.#findKey(id)
      const fault = body ? keyFault(body, now) : 'Key not found'
      if (fault !== undefined) throw refuse(fault)
      return
    }
    const state = standing(this.#verifier.find(id), this.#verifier, now)
    if (state) throw refused(state)
  }

  /** The token and its ancestors, the nearest first. */
  #chainOf(token: ControlToken): ControlToken[] {
    return [token, ...ancestorsOf(token, this.#verifier.find)]
  }

  #holdersOf(token: ControlToken): Holder[] {
    return holdersOf(token, ancestorsOf(token, this.#verifier.find))
  }

  async #check(token: ControlToken | undefined, now: string): Promise<ControlToken> {
    // A key may be withdrawn, so check the state each time.
    const state = standing(token, this.#verifier, now)
    if (!token || state) throw refused(state)
    // All content that the signatures of the chain cover: the same text gives the same result.
    const text = this.#chainOf(token)
      .map((one) => `${signedText(one)} ${one.signature}`)
      .join('\n')
    if (this.#verified.get(token.token_id) === text) return token
    const fault = await verifyToken(token, {}, now, this.#verifier)
    if (fault) throw refuse(fault)
    if (this.#verified.size >= verifiedLimit) this.#verified.delete(this.#verified.keys().next().value ?? '')
    this.#verified.set(token.token_id, text)
    return token
  }

  #toGuest(token: ControlToken): Guest {
    const { token_id, permissions } = token
    const reach = readReach(token)
    if (!reach) throw refuse('Scope mismatch')
    const holders = this.#holdersOf(token).map(toChainHolder)
    const agent = holders[0]?.agent ?? ''
    const chain = holders.length > 1 ? { holders } : {}
    return { role: 'guest', token: token_id, agent, ...chain, reach, permissions }
  }

  /** The stored token of a bearer text. The error is the same for an unknown token and a made-up one. */
  async #presented(bearer: string): Promise<ControlToken> {
    checkBearer(bearer)
    const shown = fromBearer(bearer)
    const stored = shown && this.#verifier.find(shown.token.token_id)
    if (!stored || !(await isPresented(shown, stored, this.#crypto.digest.sha256)))
      throw refuse('Token not found')
    return stored
  }

  /**
   * The last of several tokens. Throws `forbidden` unless each is below the one before, so that naming another
   * token gives no further rights.
   */
  async #lowest(ids: Presented['as'], now: string): Promise<ControlToken> {
    const line: unknown[] = Array.isArray(ids) ? ids : [ids]
    let above: ControlToken | undefined
    for (const id of line) {
      const found = typeof id === 'string' ? this.#verifier.find(id) : undefined
      // The error is the same for an unknown token and a token that is not below.
      if (above && ![found?.token_id, ...(found?.delegation_chain ?? [])].includes(above.token_id))
        throw notBelow(above)
      above = await this.#check(found, now)
    }
    return above ?? this.#check(undefined, now)
  }

  #findKey(id: string): AccessKeyBody | undefined {
    const found = this.#ledger.get(id)
    return found?.kind === 'access_key' ? accessKeyBody.safeParse(bodyOf(found)).data : undefined
  }

  async #admitKey(bearer: string, now: string): Promise<Admitted> {
    const id = accessKeyId(bearer)
    const body = id === undefined ? undefined : this.#findKey(id)
    const hash = await this.#crypto.digest.sha256(bearer)
    if (id === undefined || !body || !timingSafeEqual(body.hash, hash)) throw refuse('Key not found')
    const fault = keyFault(body, now)
    if (fault !== undefined) throw refuse(fault)
    const endsMs = body.expires_at === undefined ? undefined : Date.parse(body.expires_at)
    return { ...this.#admitGrant(toGrant(id, body), 'key'), endsMs }
  }

  #admitGrant(grant: Grant, by: 'key' | 'claims'): Admitted {
    const { id, owner = false, agent, permissions, push, pull, untilMs } = grant
    // The host verified the claims by the clock, which may have been set back.
    if (untilMs !== undefined && untilMs <= this.#seen.now() && this.#seen.now() > this.#clock.now())
      throw refuse('Token expired')
    if (owner) return { id, untilMs, caller: { role: 'owner' } }
    const reach = readReach(grant)
    if (!reach) throw refuse('Scope mismatch')
    const granted = { push, pull }
    const caller: Caller = { role: 'guest', token: id, agent, reach, permissions, by, granted }
    return { id, untilMs, caller }
  }

  /** The key of a registered agent. Throws if the agent is not registered, or its key was withdrawn. */
  #agentKeyOf(did: string): string {
    const found = findAgentKey(this.#ledger, did)
    if (!found || found.revoked) throw refuseSigned('Agent not registered', 'did')
    return found.key
  }

  async #admitAgent(signed: SignedRequest): Promise<Admitted> {
    const { nonceUntilMs } = checkSigned(signed, this.#clock.now())
    await checkSignature(signed, this.#agentKeyOf(signed.did), this.#crypto)
    return { ...agentAdmitted(signed.did), nonceUntilMs }
  }
}

/** The id of the token at the top of a chain. All tokens below use its quota. */
const topOf = ({ token_id, delegation_chain }: ControlToken): string => delegation_chain.at(-1) ?? token_id
