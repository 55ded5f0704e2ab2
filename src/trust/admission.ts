// Turns what a caller presents into a guest of the book, or its owner. Invariant: nobody is let in by a token that is not
// stored here, signed down from a key of this book's owner, unrevoked and in its time, with all of its ancestors, nor by an
// access key that is not, unrevoked and in its time; nobody by what is stored alone; and a write looks again.
import type { Caller, ChainHolder, Guest } from '../core/capability/caller.ts'
import type { Accessor } from '../core/capability/access-log.ts'
import type { Ledger } from '../core/capability/port/record-port.ts'
import type { TrustPort } from '../core/capability/context.ts'
import { DaybookError } from '../core/errors.ts'
import { isAgentDid } from '../shape/a2p-did.ts'
import type { Grant } from '../core/access/grant.ts'
import type { Clock } from '../core/ports.ts'
import { bodyOf } from '../core/record.ts'
import { timingSafeEqual } from '../core/timing-safe-equal.ts'
import { formatTime } from '../core/time.ts'
import { readReach } from '../core/access/reach.ts'
import { findAgentKey } from './agent/agent-key.ts'
import { checkSignature, checkSigned, refuseSigned, type SignedRequest } from './agent/signed-request.ts'
import { accessKeyBody, accessKeyId, isAccessKey, keyFault, toGrant } from './access-key.ts'
import { fromBearer, isOutdatedBearer, isPresented, signedText } from './token.ts'
import { type Holder, holdersOf } from './holder.ts'
import { createVerifier } from './token-ledger.ts'
import type { ControlToken } from './token-schema.ts'
import { ancestorsOf, type Reason, standing, verifyToken } from './verify.ts'

/** As whom a call is made, before that is looked at. */
export interface Presented {
  /** The id of a stored token; of several the last, if each was granted below the one before. */
  readonly as?: string | readonly string[]
  readonly bearer?: string
  /** What the host has verified by itself. */
  readonly grant?: Grant
  /** A request that an agent has signed. Whoever takes it looks that it came once. */
  readonly signed?: SignedRequest
}

/** The same, as far as it says who it is. */
type Claimed = Omit<Presented, 'signed'> & { readonly signed?: Pick<SignedRequest, 'did'> }

export interface Admitted {
  readonly caller: Caller
  /** Tells callers apart: the id of the token or key, or whatever names the claims; `owner` for the owner's own. */
  readonly id: string
  /** Who pays for what it asks: the token that the owner granted, above all that was granted further. Default: `id`. */
  readonly payer?: string
  /** When verified claims end; milliseconds since 1970 UTC. */
  readonly untilMs?: number | undefined
  /** When the token or key ends, if nothing ends it before; milliseconds since 1970 UTC. */
  readonly endsMs?: number | undefined
  /** Of a signed request: its nonce must not come again until then. */
  readonly nonceUntilMs?: number
}

/** What of somebody admitted is needed to tell later whether that still holds. */
export interface Standing extends Pick<Admitted, 'id' | 'payer' | 'untilMs' | 'endsMs'> {
  readonly by: Guest['by'] | 'owner' | 'token'
}

/** The standing of somebody who was just admitted. */
export function standingOf({ id, payer, caller, untilMs, endsMs = untilMs }: Admitted): Standing {
  const by = caller.role === 'guest' ? (caller.by ?? 'token') : id.startsWith('key-') ? 'key' : 'owner'
  return {
    id,
    ...(payer === undefined ? {} : { payer }),
    by: untilMs === undefined ? by : 'claims',
    untilMs,
    ...(endsMs === undefined ? {} : { endsMs }),
  }
}

/** From whose allowance what somebody asks is taken. */
export const payerOf = ({ id, payer = id }: Pick<Admitted, 'id' | 'payer'>): string => payer

export interface Admission {
  /** True when the call is not simply the owner's. */
  isAsked(given: Presented): boolean

  /** Who presents this, or `unauthorized` with the reason. */
  admit(given: Presented): Promise<Admitted>
  /**
   * Whom somebody claims to be who was not let in, by what is known here of the token or key that is named: nothing proves
   * that it is theirs. Undefined when none of this book is named.
   */
  claimant(given: Claimed): Accessor | undefined
  /** Throws `unauthorized` when the token or key has ended since. Inside a transaction. */
  recheck(guest: Guest, now: string): void
  recheckAll(standing: Standing, now: string): void
}

export interface AdmissionParts extends Pick<TrustPort, 'keys' | 'digest' | 'owner'> {
  readonly ledger: Pick<Ledger, 'get'>
  readonly clock: Clock
  /** The latest time that was seen: what has ended by it stays ended, though the clock is set back. */
  readonly seen: { now(): number }
}

const refuse = (reason: string) => new DaybookError('unauthorized', `${reason}.`, { details: { reason } })

const notBelow = ({ token_id }: ControlToken) =>
  new DaybookError('forbidden', `Only a token granted below \`${token_id}\` can be taken beside it.`, {
    details: { path: 'as' },
  })

/** Whoever presents a token of another book learns no more than who presents one that is not here. */
const refused = (state: Reason | undefined) =>
  refuse(state === undefined || state === 'Token of another book' ? 'Token not found' : state)

/** Throws `unauthorized` for a text that can be no token and no key of any book. */
export function checkBearer(bearer: string): void {
  if (isOutdatedBearer(bearer))
    throw refuse(
      'Tokens of this form are not taken any more: whoever saw one stored could present it. Its owner must grant a new one',
    )
  if (accessKeyId(bearer) === undefined && !fromBearer(bearer)) throw refuse('Token not found')
}

const toChainHolder = ({ name, writesAs }: Holder): ChainHolder => ({
  names: name === writesAs ? [name] : [name, writesAs],
  agent: writesAs,
})

/** What names an agent that is known by its key, before its DID. */
const agentIdPrefix = 'a2p:'
/** Memories, by their types and categories, and nothing else of the book; policies say which of them. */
const agentReach = readReach({ scope: 'a2p:**', allow: ['ext:**'] })
/** What an agent may ask for at all. What it is given, policies say. */
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

/** Tokens whose signatures were found good are remembered with all that was signed. */
const verifiedLimit = 256

export function createAdmission({ clock, seen, ...parts }: AdmissionParts): Admission {
  const verifier = createVerifier(parts)
  const { find } = verifier
  const verified = new Map<string, string>()

  /** All that the signatures of a chain are about: the same text means the same answer. */
  const chainText = (token: ControlToken) =>
    [token, ...ancestorsOf(token, find)].map((one) => `${signedText(one)} ${one.signature}`).join('\n')

  const check = async (token: ControlToken | undefined, now: string): Promise<ControlToken> => {
    // A key may be withdrawn: that is looked at each time.
    const state = standing(token, verifier, now)
    if (!token || state) throw refused(state)
    const text = chainText(token)
    if (verified.get(token.token_id) === text) return token
    const fault = await verifyToken(token, {}, now, verifier)
    if (fault) throw refuse(fault)
    if (verified.size >= verifiedLimit) verified.delete(verified.keys().next().value ?? '')
    verified.set(token.token_id, text)
    return token
  }

  const toGuest = (token: ControlToken): Guest => {
    const { token_id, permissions } = token
    const reach = readReach(token)
    if (!reach) throw refuse('Scope mismatch')
    const holders = holdersOf(token, ancestorsOf(token, find)).map(toChainHolder)
    const agent = holders[0]?.agent ?? ''
    const chain = holders.length > 1 ? { holders } : {}
    return { role: 'guest', token: token_id, agent, ...chain, reach, permissions }
  }

  /** In whose name the holder of a token writes. */
  const writerOf = (token: ControlToken): string =>
    holdersOf(token, ancestorsOf(token, find))[0]?.writesAs ?? ''

  /** The token at the top of a chain: whatever is made below it pays with it. */
  const topOf = ({ token_id, delegation_chain }: ControlToken): string => delegation_chain.at(-1) ?? token_id

  /** A stranger must present the whole token and its secret. One answer for what is not here and what is made up. */
  const presented = async (bearer: string): Promise<ControlToken> => {
    checkBearer(bearer)
    const shown = fromBearer(bearer)
    const stored = shown && find(shown.token.token_id)
    if (!stored || !(await isPresented(shown, stored, parts.digest.sha256))) throw refuse('Token not found')
    return stored
  }

  /** The last token of a line. So whoever was given a token gets no further by naming another one. */
  const lowest = async (ids: Presented['as'], now: string): Promise<ControlToken> => {
    const line: unknown[] = Array.isArray(ids) ? ids : [ids]
    let above: ControlToken | undefined
    for (const id of line) {
      const found = typeof id === 'string' ? find(id) : undefined
      // One answer for what is not there and what the holder of the one above has no business with.
      if (above && ![found?.token_id, ...(found?.delegation_chain ?? [])].includes(above.token_id))
        throw notBelow(above)
      above = await check(found, now)
    }
    return above ?? check(undefined, now)
  }

  const findKey = (id: string) => {
    const found = parts.ledger.get(id)
    return found?.kind === 'access_key' ? accessKeyBody.safeParse(bodyOf(found)).data : undefined
  }

  const admitKey = async (bearer: string, now: string): Promise<Admitted> => {
    const id = accessKeyId(bearer)
    const body = id === undefined ? undefined : findKey(id)
    const hash = await parts.digest.sha256(bearer)
    if (id === undefined || !body || !timingSafeEqual(body.hash, hash)) throw refuse('Key not found')
    const fault = keyFault(body, now)
    if (fault !== undefined) throw refuse(fault)
    const endsMs = body.expires_at === undefined ? undefined : Date.parse(body.expires_at)
    return { ...admitGrant(toGrant(id, body), 'key'), endsMs }
  }

  const admitGrant = (grant: Grant, by: 'key' | 'claims'): Admitted => {
    const { id, owner = false, agent, permissions, push, pull, untilMs } = grant
    // Whoever verified the claims did so by the clock.
    if (untilMs !== undefined && untilMs <= seen.now() && seen.now() > clock.now())
      throw refuse('Token expired')
    if (owner) return { id, untilMs, caller: { role: 'owner' } }
    const reach = readReach(grant)
    if (!reach) throw refuse('Scope mismatch')
    const granted = { push, pull }
    const caller: Caller = { role: 'guest', token: id, agent, reach, permissions, by, granted }
    return { id, untilMs, caller }
  }

  /** The key of an agent that may come. */
  const agentKeyOf = (did: string): string => {
    const known = findAgentKey(parts.ledger, did)
    if (!known || known.revoked) throw refuseSigned('Agent not registered', 'did')
    return known.key
  }

  const admitAgent = async (signed: SignedRequest): Promise<Admitted> => {
    const { nonceUntilMs } = checkSigned(signed, clock.now())
    await checkSignature(signed, agentKeyOf(signed.did), parts)
    return { ...agentAdmitted(signed.did), nonceUntilMs }
  }

  const recheck = ({ id, by, untilMs }: Standing, at: string): void => {
    const latest = formatTime(seen.now())
    const now = at > latest ? at : latest
    if (untilMs !== undefined && formatTime(untilMs) <= now) throw refuse('Token expired')
    // Claims were verified for one request, or until they end.
    if (by === 'claims' && id.startsWith(agentIdPrefix)) {
      agentKeyOf(id.slice(agentIdPrefix.length))
      return
    }
    if (by === 'claims' || by === 'owner') return
    if (by === 'key') {
      const body = findKey(id)
      const fault = body ? keyFault(body, now) : 'Key not found'
      if (fault !== undefined) throw refuse(fault)
      return
    }
    const state = standing(find(id), verifier, now)
    if (state) throw refused(state)
  }

  return {
    isAsked: ({ as: id, bearer, grant, signed }) =>
      [id, bearer, grant, signed].some((one) => one !== undefined),
    async admit({ as: id, bearer, grant, signed }) {
      if (signed) return admitAgent(signed)
      const now = formatTime(seen.now())
      if (grant) return admitGrant(grant, 'claims')
      if (bearer !== undefined && isAccessKey(bearer)) return admitKey(bearer, now)
      if (bearer === undefined && id === undefined) return { id: 'owner', caller: { role: 'owner' } }
      const token = bearer === undefined ? await lowest(id, now) : await check(await presented(bearer), now)
      const line = [token, ...ancestorsOf(token, find)]
      const endsMs = Math.min(...line.map(({ expires_at: end }) => Date.parse(end)))
      return { id: token.token_id, payer: topOf(token), caller: toGuest(token), endsMs }
    },
    claimant({ as: id, bearer, grant, signed }) {
      if (signed) {
        const { did } = signed
        const isKnown = isAgentDid(did) && findAgentKey(parts.ledger, did) !== undefined
        return isKnown ? { caller: did, by: 'claims', id: agentIdPrefix + did } : undefined
      }
      if (grant) return { caller: grant.agent, by: 'claims', id: grant.id }
      if (bearer !== undefined && isAccessKey(bearer)) {
        const keyId = accessKeyId(bearer)
        const key = keyId === undefined ? undefined : findKey(keyId)
        return key && { caller: key.holder, by: 'key', id: keyId as string }
      }
      // Of several tokens, which only narrow one another, the last was handed on.
      const stored = typeof id === 'string' ? id : id?.at(-1)
      const token = find((bearer === undefined ? stored : fromBearer(bearer)?.token.token_id) ?? '')
      return token && { caller: writerOf(token), by: 'token', id: token.token_id }
    },
    recheck: ({ token: id, by }, now) => recheck({ id, by: by ?? 'token' }, now),
    recheckAll: recheck,
  }
}
