// Whose word counts in the pool: letting an agent in under its key, once that was compared, and letting it go.
// Invariant: an agent is admitted under the key that the reader saw, whatever came meanwhile.
import { createRef } from 'preact'
import { signal } from '@preact/signals'
import { tell, tellError } from '../../page/toast.ts'
import { openedBook } from '../book.ts'
import { closeDialog, openDialog } from '../dialog.ts'
import { loadPool } from './pool.ts'

/** An agent as the reader sees it. */
export interface Applicant {
  readonly claw: string
  readonly name: string
  /** Undefined where agents of the group need not sign. */
  readonly key: string | undefined
}

/** The agent that the open dialog would admit. */
export const admitQuestion = signal<Applicant | undefined>(undefined)
/** Takes the focus after an answer: the row that had it is gone, or has another button. */
export const agentsHeading = createRef<HTMLHeadingElement>()

export function askAdmit(who: Applicant): void {
  admitQuestion.value = who
  openDialog.value = 'admit'
}

export async function admitAsked(): Promise<void> {
  const who = admitQuestion.peek()
  closeDialog()
  if (who) await admit(who)
}

async function admit(who: Applicant): Promise<void> {
  const { claw, name, key } = who
  try {
    const { pool } = await openedBook()
    await pool.admit({ claw, ...(key === undefined ? {} : { key }) })
    await loadPool()
    agentsHeading.current?.focus()
    tell(`Admitted ${name}. What it says counts from now on.`, {
      word: 'Let it go',
      run: () => void letGo(who),
    })
  } catch (error) {
    tellError(`${name} was not admitted.`, error)
  }
}

/** Can be taken back at once: the key was compared when it was admitted. */
export async function letGo(who: Applicant): Promise<void> {
  const { claw, name } = who
  try {
    const { pool } = await openedBook()
    await pool.letGo({ claw })
    await loadPool()
    agentsHeading.current?.focus()
    tell(`Let ${name} go. Nothing that it says counts.`, { word: 'Undo', run: () => void admit(who) })
  } catch (error) {
    tellError(`${name} still counts.`, error)
  }
}
