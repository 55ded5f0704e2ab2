// Access to memories: policies, access requests of agents, and their receipts.
import { createReader, defined } from '../reading.ts'
import { tell, undo } from '../../page/toast.ts'
import { attempt, book, onBook, openedBook } from '../book.ts'
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityInput, CapabilityOutput } from '../../../src/index.ts'
import { address } from '../address.ts'
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
/** The policy in the dialog, or `new`. */
export const editing = signal<Policy | 'new' | undefined>(undefined)
export const removing = signal<Policy | undefined>(undefined)

const pageSize = 100

const read = createReader(policiesFailure)

export const loadPolicies = (): Promise<void> =>
  read(
    (from) =>
      Promise.all([
        from.consent.policies(),
        from.consent.receipts({ limit: Math.min(Math.max(receipts.peek().length, pageSize), 1000) }),
      ]),
    ([all, granted]) => {
      policies.value = all.policies
      receipts.value = granted.receipts
      receiptCursor.value = granted.cursor
    },
  )

export async function loadMoreReceipts(): Promise<void> {
  const cursor = receiptCursor.peek()
  if (cursor === undefined) return
  await attempt('More receipts could not be read.', async ({ consent }) => {
    const more = await consent.receipts({ limit: pageSize, cursor })
    receipts.value = [...receipts.peek(), ...more.receipts]
    receiptCursor.value = more.cursor
  })
}

/** The input that makes or changes a policy to the same content. */
export function inputOf(policy: Policy): PolicyInput {
  const { id, name, description, forAgents, allow, deny, permissions } = policy
  const { conditions, priority, enabled, expiresAt } = policy
  const optional = defined({ id, name, description, conditions, expiresAt })
  return { ...optional, forAgents, allow, deny, permissions, priority, enabled } as PolicyInput
}

export async function savePolicy(input: PolicyInput): Promise<void> {
  const { created } = await (await openedBook()).consent.setPolicy(input)
  editing.value = undefined
  tell(created ? 'Policy added. It applies from the next call on.' : 'Policy changed.')
  await loadPolicies()
}

export async function removePolicy(policy: Policy): Promise<void> {
  removing.value = undefined
  const { id: _id, ...again } = inputOf(policy)
  await attempt('The policy was not removed.', async ({ consent }) => {
    await consent.removePolicy({ id: policy.id })
    tell(
      'Policy removed.',
      undo(() => attempt('The policy could not be restored.', () => savePolicy(again))),
    )
  })
  await loadPolicies()
}

export async function switchPolicy(policy: Policy, enabled: boolean): Promise<void> {
  await attempt('The policy was not changed.', async ({ consent }) => {
    await consent.setPolicy({ ...inputOf(policy), enabled })
    tell(enabled ? 'Policy switched on.' : 'Policy switched off.')
  })
  await loadPolicies()
}

export async function decideRequest({ id }: AccessRequest, decision: 'grant' | 'deny'): Promise<void> {
  await attempt('The decision could not be saved.', async ({ consent }) => {
    await consent.decide({ id, decision })
    tell(decision === 'grant' ? 'Access granted for 24 hours.' : 'Access denied.')
  })
  await Promise.all([loadPolicies(), loadQueue()])
}

export async function revokeReceipt({ id }: Receipt): Promise<void> {
  await attempt('The receipt was not revoked.', async ({ consent }) => {
    await consent.revoke({ id })
    tell('Receipt revoked.')
  })
  await loadPolicies()
}

const kinds = new Set(['policy', 'receipt', 'access_request'])
effect(() => {
  if (address.value.view === 'policies' && book.value) void loadPolicies()
})
onBook('change', (change) => {
  if (address.peek().view === 'policies' && change.kinds.some((kind) => kinds.has(kind))) void loadPolicies()
})
