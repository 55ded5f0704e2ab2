// Who may read which memories: the policies, what agents ask for, and the receipts that they have.
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityInput, CapabilityOutput } from '../../../src/index.ts'
import { tell, tellError } from '../../page/toast.ts'
import { address } from '../address.ts'
import { book, onBook, openedBook } from '../book.ts'
import { type AccessRequest, loadQueue } from './queue.ts'
import { held } from '../held.ts'

export type Policy = CapabilityOutput<'consent:list_policies'>['policies'][number]
export type Receipt = CapabilityOutput<'consent:receipts'>['receipts'][number]
export type PolicyInput = CapabilityInput<'consent:set_policy'>

export const policies = signal<readonly Policy[] | undefined>(undefined)
export const receipts = held<readonly Receipt[]>([], ['policies'])
const receiptCursor = signal<string | undefined>(undefined)
export const hasMoreReceipts = computed(() => receiptCursor.value !== undefined)
export const policiesFailure = signal<unknown>(undefined)
/** The one that is being changed, or `new`. */
export const editing = signal<Policy | 'new' | undefined>(undefined)
export const removing = signal<Policy | undefined>(undefined)

const pageSize = 100

export async function loadPolicies(): Promise<void> {
  const from = book.peek()
  if (!from) return
  try {
    const [all, granted] = await Promise.all([
      from.consent.policies(),
      from.consent.receipts({ limit: Math.min(Math.max(receipts.peek().length, pageSize), 1000) }),
    ])
    if (book.peek() !== from) return
    policies.value = all.policies
    receipts.value = granted.receipts
    receiptCursor.value = granted.cursor
    policiesFailure.value = undefined
  } catch (error) {
    if (book.peek() === from) policiesFailure.value = error
  }
}

export async function loadMoreReceipts(): Promise<void> {
  const cursor = receiptCursor.peek()
  if (cursor === undefined) return
  try {
    const more = await (await openedBook()).consent.receipts({ limit: pageSize, cursor })
    receipts.value = [...receipts.peek(), ...more.receipts]
    receiptCursor.value = more.cursor
  } catch (error) {
    tellError('More receipts could not be read.', error)
  }
}

/** What is asked to make or change a policy that says what `policy` says. */
export function inputOf(policy: Policy): PolicyInput {
  const { id, name, description, forAgents, allow, deny, permissions } = policy
  const { conditions, priority, enabled, expiresAt } = policy
  const said = { id, name, description, conditions, expiresAt }
  const given = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
  return { ...given, forAgents, allow, deny, permissions, priority, enabled } as PolicyInput
}

/** Makes or changes a policy. Answers why it was not done. */
export async function savePolicy(input: PolicyInput): Promise<unknown> {
  try {
    const { created } = await (await openedBook()).consent.setPolicy(input)
    editing.value = undefined
    tell(created ? 'Policy added. It applies from the next call on.' : 'Policy changed.')
    await loadPolicies()
    return undefined
  } catch (error) {
    return error
  }
}

export async function removePolicy(policy: Policy): Promise<void> {
  removing.value = undefined
  const { id: _id, ...again } = inputOf(policy)
  const undo = { word: 'Undo', run: () => void savePolicy(again) }
  await attempt('Policy removed.', 'The policy was not removed.', undo, async () => {
    await (await openedBook()).consent.removePolicy({ id: policy.id })
  })
}

export async function switchPolicy(policy: Policy, enabled: boolean): Promise<void> {
  await attempt(
    enabled ? 'Policy switched on.' : 'Policy switched off.',
    'The policy was not changed.',
    undefined,
    async () => {
      await (await openedBook()).consent.setPolicy({ ...inputOf(policy), enabled })
    },
  )
}

export async function decideRequest({ id }: AccessRequest, decision: 'grant' | 'deny'): Promise<void> {
  const said = decision === 'grant' ? 'Access granted for 24 hours.' : 'Access denied.'
  await attempt(said, 'The decision could not be saved.', undefined, async () => {
    await (await openedBook()).consent.decide({ id, decision })
  })
  await loadQueue()
}

export async function revokeReceipt({ id }: Receipt): Promise<void> {
  await attempt('Receipt revoked.', 'The receipt was not revoked.', undefined, async () => {
    await (await openedBook()).consent.revoke({ id })
  })
}

type Undo = Parameters<typeof tell>[1]

async function attempt(
  done: string,
  failed: string,
  undo: Undo | undefined,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run()
    tell(done, undo)
  } catch (error) {
    tellError(failed, error)
  }
  await loadPolicies()
}

const kinds = new Set(['policy', 'receipt', 'access_request'])
effect(() => {
  if (address.value.view === 'policies' && book.value) void loadPolicies()
})
onBook('change', (change) => {
  if (address.peek().view === 'policies' && change.kinds.some((kind) => kinds.has(kind))) void loadPolicies()
})
