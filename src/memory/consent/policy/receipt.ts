// What a receipt lets its holder read. Invariant: never more than it says, nothing once it is over, revoked or its request
// denied, and nothing that the policies of the book deny now; one that policies gave never more than they still allow.
import { governedBy, type Governed } from '../../../core/access/governed.ts'
import type { Reach } from '../../../core/access/reach.ts'
import { DaybookError } from '../../../core/errors.ts'
import { patternsOf } from './memory-scope.ts'
import { readingRules } from './permission-level.ts'
import type { AccessRequestBody, ReceiptBody } from './policy-kind.ts'

/** True for what can be the id of a receipt. */
export const isReceiptId = (text: string): boolean => /^rcpt_[A-Za-z0-9]{1,64}$/.test(text)

export const receiptMs = 86_400_000

export type ReceiptState = 'active' | 'expired' | 'revoked'

/** How a receipt stands at an instant, canonical UTC text. */
export function receiptState({ revoked, expires_at }: ReceiptBody, now: string): ReceiptState {
  if (revoked) return 'revoked'
  return expires_at <= now ? 'expired' : 'active'
}

const refused = (reason: string) =>
  new DaybookError('unauthorized', `${reason}.`, { details: { path: 'receipt', reason } })

/** Throws `unauthorized` unless an agent of `names` may present the receipt now. One that is not its own is not here for it. */
export function checkReceipt(
  receipt: ReceiptBody | undefined,
  request: AccessRequestBody | undefined,
  names: readonly string[],
  now: string,
): asserts receipt is ReceiptBody {
  if (!receipt || !names.includes(receipt.granted_to)) throw refused('Receipt not found')
  const state = receiptState(receipt, now)
  if (state === 'revoked' || request?.status === 'denied') throw refused('Receipt revoked')
  if (state === 'expired') throw refused('Receipt expired')
}

/** The reach of a call that presents `receipt`, in a book whose policies let its holder read `governed`. */
export function receiptReach(receipt: ReceiptBody, governed: Governed): Reach {
  const allow = patternsOf(receipt.scopes)
  const deny = patternsOf(receipt.denied)
  const own = governedBy(readingRules(receipt.permissions, allow, 0), [...deny, ...governed.deny])
  const level = { allow, deny, governed: own }
  if (receipt.method === 'explicit_grant') return level
  // As the policies stand now.
  return { ...level, within: { allow, deny: [], governed } }
}
