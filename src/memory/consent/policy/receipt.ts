// The reach of a receipt's holder.
// Invariant: at most the receipt's scopes; nothing if the receipt is expired or revoked, or its request is denied;
// nothing that policies deny now; and, if policies granted the receipt, at most what they allow now.
import { governedBy, type Governed } from '../../../core/access/governed.ts'
import type { Reach } from '../../../core/access/reach.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { AccessRequestBody, ReceiptBody } from './policy-kind.ts'
import { patternsOf, readingRules } from './memory-scope.ts'

/** True for text with the syntax of a receipt id. */
export const isReceiptId = (text: string): boolean => /^rcpt_[A-Za-z0-9]{1,64}$/.test(text)

/** Milliseconds for which a receipt is valid, unless the owner sets another end: one day. */
export const receiptValidityMs = 86_400_000

export type ReceiptState = 'active' | 'expired' | 'revoked'

/** State of a receipt at `now`, canonical UTC text. */
export function receiptState({ revoked, expiresAt }: ReceiptBody, now: string): ReceiptState {
  if (revoked) return 'revoked'
  return expiresAt <= now ? 'expired' : 'active'
}

const receiptError = (reason: string) =>
  new DaybookError('unauthorized', `${reason}.`, { details: { path: 'receipt', reason } })

/** True for the receipt of the owner's own request, which gives an agent no right: the owner decided about no agent. */
const isOwnersOwn = ({ method, request }: ReceiptBody) => method === 'explicit_grant' && request === undefined

/**
 * Throws `unauthorized` unless an agent of `names` may present the receipt now. A receipt of another agent, or of the
 * owner's own request, counts as not found. `request`: the request that the owner granted; undefined if policies
 * granted the receipt. `names`: all names of the caller.
 */
export function assertReceipt(
  receipt: ReceiptBody | undefined,
  request: AccessRequestBody | undefined,
  names: readonly string[],
  now: string,
): asserts receipt is ReceiptBody {
  if (!receipt || !names.includes(receipt.grantedTo) || isOwnersOwn(receipt))
    throw receiptError('Receipt not found')
  const state = receiptState(receipt, now)
  if (state === 'revoked' || request?.status === 'denied') throw receiptError('Receipt revoked')
  if (state === 'expired') throw receiptError('Receipt expired')
}

/** Reach of a call with `receipt`. `governed`: what the book's policies let the holder read. */
export function receiptReach(receipt: ReceiptBody, governed: Governed): Reach {
  const allow = patternsOf(receipt.scopes)
  const deny = patternsOf(receipt.denied)
  // Place 0: a receipt is one set of rules, so no place comes before another.
  const governedReach = governedBy(readingRules(receipt.permissions, allow, 0), [...deny, ...governed.deny])
  const reach = { allow, deny, governed: governedReach }
  if (receipt.method === 'explicit_grant') return reach
  // Policies granted this receipt, so the call reaches at most what they allow now.
  return { ...reach, within: { allow, deny: [], governed } }
}
