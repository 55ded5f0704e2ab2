// The tasks of the book: queued calls, with their state and errors.
import { effect, signal } from '@preact/signals'
import type { CapabilityOutput } from '../../../src/index.ts'
import { address } from '../address.ts'
import { book, onBook, openedBook } from '../book.ts'
import { tell, tellError } from '../../page/toast.ts'
import { held } from '../held.ts'

export type Task = CapabilityOutput<'task:list'>['tasks'][number]

export const tasks = held<readonly Task[] | undefined>(undefined, ['tasks'])
export const tasksFailure = signal<unknown>(undefined)

const listed = 200

export async function loadTasks(): Promise<void> {
  const from = book.peek()
  if (!from) return
  try {
    const found = await from.tasks.list({ limit: listed })
    if (book.peek() !== from) return
    tasks.value = found.tasks
    tasksFailure.value = undefined
  } catch (error) {
    if (book.peek() === from) tasksFailure.value = error
  }
}

export async function retryTask({ id }: Task): Promise<void> {
  try {
    await (await openedBook()).tasks.retry({ id })
    tell('Retrying (attempts reset)')
  } catch (error) {
    tellError('The task could not be retried.', error)
  }
  await loadTasks()
}

export async function dropTask({ id }: Task): Promise<void> {
  try {
    await (await openedBook()).tasks.drop({ id })
    tell('Task discarded. What it has done so far stays.')
  } catch (error) {
    tellError('The task could not be discarded.', error)
  }
  await loadTasks()
}

effect(() => {
  if (address.value.view === 'tasks' && book.value) void loadTasks()
})
onBook('task', () => {
  if (address.peek().view === 'tasks') void loadTasks()
})
