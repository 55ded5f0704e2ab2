// Decisions on one entry at a time: the open entry, its edits, approve, reject, and undo.
// Invariant: the open entry stays until the reader decides or moves on, whatever happens to it elsewhere.
import { createRef } from 'preact'
import { batch, computed, effect, signal } from '@preact/signals'
import { type CapabilityInput, isDaybookError } from '../../../src/index.ts'
import type { Hidden } from '../../wording/hidden-word.ts'
import { announce, tell, tellError } from '../../page/toast.ts'
import { address, go } from '../address.ts'
import { onBook, openedBook } from '../book.ts'
import { decided, loadQueue, onDecided, onReopened, waiting, type Waiting } from './queue.ts'
import { held, onLocked } from '../held.ts'
import type { WithSeen } from '../record/secret.ts'

export type Edits = Pick<Waiting, 'content' | 'category' | 'memory_type' | 'sensitivity'>

const lastShown = held<WithSeen<Waiting> | undefined>(undefined)
/** The open entry. It stays when it is withdrawn or decided elsewhere. */
export const current = computed(() => {
  const { id } = address.value
  return (
    waiting.value?.find((one) => one.id === id) ?? (lastShown.value?.id === id ? lastShown.value : undefined)
  )
})
/** The open entry no longer waits. */
export const isSettled = computed(
  () => current.value !== undefined && !waiting.value?.some(({ id }) => id === current.value?.id),
)
export const position = computed(() => waiting.value?.findIndex(({ id }) => id === address.value.id) ?? -1)

export const edits = signal<Edits | undefined>(undefined)
/** The error of the last edit. */
export const editFailure = signal<unknown>(undefined)
/** The reader has confirmed the hidden characters. */
export const isSeen = signal(false)
/** Hidden characters that the book found in the edited text. */
export const foundHidden = signal<readonly Hidden[]>([])
/** Ids of running decisions. Another entry can be decided at the same time, the same one not twice. */
const deciding = signal<ReadonlySet<string>>(new Set())
export const isDeciding = computed(() => deciding.value.has(current.value?.id ?? ''))

export const cardHeading = createRef<HTMLHeadingElement>()
export const seenBox = createRef<HTMLInputElement>()
export const contentBox = createRef<HTMLTextAreaElement>()

let isFocusWanted = false
/** The view calls it after drawing another entry, or the empty queue. */
export function onCardDrawn(): void {
  if (isFocusWanted) cardHeading.current?.focus()
  isFocusWanted = false
}

export function show(id: string | undefined, how: 'push' | 'replace' = 'push'): void {
  isFocusWanted = true
  go({ id }, how)
}

function step(by: number): void {
  const all = waiting.peek() ?? []
  const next = all[Math.min(Math.max(position.peek() + by, 0), all.length - 1)]
  if (next && next.id !== address.peek().id) show(next.id, 'replace')
}

export function startEdit(): void {
  const one = current.peek()
  if (!one || isSettled.peek() || isDeciding.peek()) return
  const { content, category, memory_type, sensitivity } = one
  edits.value = { content, category, memory_type, sensitivity }
  editFailure.value = undefined
  foundHidden.value = []
  isSeen.value = false
  requestAnimationFrame(() => contentBox.current?.focus())
}

export function cancelEdit(): void {
  edits.value = undefined
  editFailure.value = undefined
  foundHidden.value = []
  isSeen.value = false
  requestAnimationFrame(() => {
    // Focus that moved elsewhere stays there.
    if (document.activeElement === document.body) cardHeading.current?.focus()
  })
}

/** The changed fields. */
function changed(one: Waiting, now: Edits): Partial<Edits> {
  const names = ['content', 'category', 'memory_type', 'sensitivity'] as const
  return Object.fromEntries(names.flatMap((name) => (now[name] === one[name] ? [] : [[name, now[name]]])))
}

type Review = CapabilityInput<'a2p:review'>

export async function approve(): Promise<void> {
  const one = current.peek()
  if (!one || isSettled.peek()) return
  const change = edits.peek() ? changed(one, edits.peek() as Edits) : {}
  const isEdit = Object.keys(change).length > 0
  if (!isEdit && one.hidden.length > 0 && !isSeen.peek()) return askForSeen()
  const seen = isSeen.peek() ? { despiteHidden: true } : {}
  const word = isEdit ? 'Approved with changes.' : 'Approved.'
  await decide(
    one,
    isEdit
      ? ({ id: one.id, action: 'edit', edited: change, ...seen } as Review)
      : { id: one.id, action: 'approve', ...seen },
    word,
  )
}

export async function reject(): Promise<void> {
  const one = current.peek()
  if (one && !isSettled.peek()) await decide(one, { id: one.id, action: 'reject' }, 'Rejected.')
}

function askForSeen(): void {
  announce('The text has hidden characters. Confirm that you have seen them before you approve it.')
  seenBox.current?.focus()
}

const isRead = ({ id }: Waiting) => address.peek().view === 'approvals' && address.peek().id === id

async function decide(one: WithSeen<Waiting>, review: Review, word: string): Promise<void> {
  const { id } = one
  if (deciding.peek().has(id)) return
  deciding.value = new Set([...deciding.peek(), id])
  const all = waiting.peek() ?? []
  const after = all.slice(all.findIndex((other) => other.id === id) + 1)
  try {
    const result = await (await openedBook()).proposals.review(review)
    batch(() => {
      onDecided(one, result, review.edited?.content)
      const rest = waiting.peek() ?? []
      const next = after.find((later) => rest.some((other) => other.id === later.id)) ?? rest.at(-1)
      // A reader who moved on stays there.
      if (isRead(one)) show(next?.id, 'replace')
    })
    tell(word, one.kind === 'proposal' ? { word: 'Undo', run: () => void takeBack(id) } : undefined)
    void loadQueue()
  } catch (error) {
    onRefused(one, error)
  } finally {
    deciding.value = new Set([...deciding.peek()].filter((other) => other !== id))
  }
}

function onRefused(one: Waiting, error: unknown): void {
  const hidden = isDaybookError(error, 'invalid-input') && error.details['hidden']
  if (Array.isArray(hidden) && isRead(one)) {
    foundHidden.value = hidden as Hidden[]
    requestAnimationFrame(askForSeen)
  } else if (edits.peek() && isRead(one)) editFailure.value = error
  else {
    tellError('The decision could not be saved.', error)
    void loadQueue()
  }
}

const reopening = new Set<string>()

/** Undoes a review: the proposal waits again, and opens. */
export async function takeBack(id: string): Promise<void> {
  if (reopening.has(id)) return
  reopening.add(id)
  try {
    await (await openedBook()).proposals.reopen({ id })
    onReopened(id)
    await loadQueue()
    tell('The decision is undone. The proposal is waiting again.')
    if (address.peek().view === 'approvals') show(id, 'replace')
  } catch (error) {
    tellError('The decision could not be undone.', error)
  } finally {
    reopening.delete(id)
  }
}

/** Each press undoes the last decision that is not being undone. */
function takeBackLast(): boolean {
  const last = decided.peek().find(({ id }) => !reopening.has(id))
  if (last) void takeBack(last.id)
  return last !== undefined
}

/** Handles a key of this view; false for another key. */
export function reviewByKey(key: string): boolean {
  if (address.peek().view !== 'approvals') return false
  if (key === 'u' && takeBackLast()) return true
  if (edits.peek()) {
    if (key !== 'Escape') return false
    cancelEdit()
  } else if (key === 'a') void approve()
  else if (key === 'r') void reject()
  else if (key === 'e') startEdit()
  else if (key === 'j' || key === 'ArrowDown') step(1)
  else if (key === 'k' || key === 'ArrowUp') step(-1)
  else return key === 'Escape'
  return true
}

let drawn: string | undefined
effect(() => {
  const { view, id } = address.value
  if (view !== 'approvals') return
  const all = waiting.value
  const found = all?.find((one) => one.id === id)
  if (found) lastShown.value = found
  else if (all && (id === undefined || lastShown.peek()?.id !== id)) {
    const [first] = all
    if (first || id !== undefined) go({ id: first?.id }, 'replace')
  }
  if (drawn === id) return
  drawn = id
  edits.value = undefined
  editFailure.value = undefined
  foundHidden.value = []
  isSeen.value = false
})
onLocked(() => {
  edits.value = undefined
  foundHidden.value = []
})
/** Closes a purged or forgotten entry. */
onBook('change', ({ ids, more }) => {
  const { id } = lastShown.peek() ?? {}
  if (id === undefined || (more === 0 && !ids.includes(id))) return
  void openedBook()
    .then(({ records }) => records.get({ id }))
    .then(
      (found) => {
        if (found === null && lastShown.peek()?.id === id) lastShown.value = undefined
      },
      () => undefined,
    )
})
