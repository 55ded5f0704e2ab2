// Turns a presented token into a guest of the book. Invariant: nobody becomes a guest by a token that is not stored here,
// signed down from a key of this book's owner, unrevoked and in its time, with all of its ancestors; and a write looks again.
import type { Guest, Ledger, ReadContext } from './core/capability.ts'
import { DaybookError } from './core/errors.ts'
import type { Clock } from './core/ports.ts'
import { formatTime } from './core/time.ts'
import { isConcrete, parseScope } from './core/scope.ts'
import { fromBearer, isSameGrant, signedText } from './trust/token.ts'
import { createVerifier } from './trust/token-ledger.ts'
import type { ControlToken } from './trust/token-schema.ts'
import { isOfThisBook, standing, verifyToken } from './trust/verify.ts'

/** As whom a call is made, before that is looked at. */
export interface Presented {
  readonly as?: string
  readonly bearer?: string
}

export interface GuestDesk {
  /** True when the call is not simply the owner's. */
  isAsked(given: Presented): boolean

  /** The same options with the guest that the token makes for a caller, or `unauthorized` with the reason. */
  admit<Options extends Presented>(given: Options): Promise<Options & { readonly caller: Guest }>
  /** Throws `unauthorized` when the token has ended since. Inside a transaction. */
  recheck(guest: Guest, now: string): void
}

export interface GuestDeskParts extends Pick<ReadContext, 'keys' | 'digest'> {
  readonly ledger: Pick<Ledger, 'get'>
  readonly clock: Clock
}

/** Tokens whose signatures were found good are remembered with all that was signed. */
const verifiedLimit = 256

export function createGuestDesk({ clock, ...parts }: GuestDeskParts): GuestDesk {
  const verifier = createVerifier(parts)
  const { find } = verifier
  const verified = new Map<string, string>()

  const refuse = (reason: string) => new DaybookError('unauthorized', `${reason}.`, { details: { reason } })

  /** All that the signatures of a chain are about: the same text means the same answer. */
  const chainText = (token: ControlToken) =>
    [token, ...token.delegation_chain.flatMap((id) => find(id) ?? [])]
      .map((one) => `${signedText(one)} ${one.signature}`)
      .join('\n')

  const check = async (token: ControlToken | undefined, now: string): Promise<ControlToken> => {
    const state = standing(token, find, now)
    if (!token || state) throw refuse(state ?? 'Token not found')
    // A key may be withdrawn: that is looked at each time.
    if (!isOfThisBook(token, verifier)) throw refuse('Token not found')
    const text = chainText(token)
    if (verified.get(token.token_id) === text) return token
    const fault = await verifyToken(token, {}, now, verifier)
    if (fault) throw refuse(fault)
    if (verified.size >= verifiedLimit) verified.delete(verified.keys().next().value ?? '')
    verified.set(token.token_id, text)
    return token
  }

  const toGuest = ({ token_id, scope: text, permissions, granted_to }: ControlToken): Guest => {
    const scope = parseScope(text)
    if (!scope) throw refuse('Scope mismatch')
    const isAgent = scope.parts[0] === 'agent' && scope.parts.length > 1 && isConcrete(scope)
    const agent = isAgent ? text.slice('agent:'.length) : granted_to.replace(/^agent:(?=.)/, '')
    return { role: 'guest', token: token_id, agent, reach: { scope }, permissions }
  }

  /** A stranger must present the whole token: an id is worth nothing. One answer for what is not here and what is made up. */
  const presented = (bearer: string): ControlToken => {
    const shown = fromBearer(bearer)
    const stored = shown && find(shown.token_id)
    if (!shown || !stored || !isSameGrant(shown, stored)) throw refuse('Token not found')
    return stored
  }

  return {
    isAsked: ({ as: id, bearer }) => id !== undefined || bearer !== undefined,
    async admit(given) {
      const { as: id = '', bearer } = given
      const now = formatTime(clock.now())
      return {
        ...given,
        caller: toGuest(await check(bearer === undefined ? find(id) : presented(bearer), now)),
      }
    },
    recheck(guest, now) {
      const token = find(guest.token)
      const state = standing(token, find, now)
      if (!token || state) throw refuse(state ?? 'Token not found')
      if (!isOfThisBook(token, verifier)) throw refuse('Token not found')
    },
  }
}
