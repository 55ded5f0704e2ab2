// A book with every pair of statements, each said by another person, and how its answers are measured.
import type { Daybook } from '../../src/book/daybook.ts'
import { changes, changesHeldOut, type StatementPair } from './change.ts'
import { mean } from './measure.ts'
import type { Ask, Figures, Note } from './set-measure.ts'

const pairs = [...changes, ...changesHeldOut]
const nameOf = (pair: StatementPair) => `Speaker ${String.fromCodePoint(0x4e00 + pairs.indexOf(pair))}`

export const changeSets: readonly { readonly name: string; readonly questions: readonly StatementPair[] }[] =
  [
    { name: 'changes', questions: changes },
    { name: 'changes, held out', questions: changesHeldOut },
  ]

/** Stores each pair: its statements a week apart, in two sessions. */
export async function fillChanges(book: Daybook): Promise<void> {
  for (const [i, pair] of pairs.entries())
    for (const [week, content] of [pair.earlier, pair.later].entries()) {
      const id = `change-${i}:${week}`
      const timestamp = new Date(Date.UTC(2025, 2, 3 + 7 * week, 10, i)).toISOString()
      const source = { type: 'User', name: nameOf(pair) }
      await book.conversation.storeMany({ session: id, messages: [{ id, content, source, timestamp }] })
    }
}

/** `changed`: of the changes, the share with the later statement first. `unchanged`: of the others, the share without a change. */
export async function measureChanges(
  ask: Ask,
  questions: readonly StatementPair[],
  note: Note = () => undefined,
): Promise<Figures> {
  const changed: number[] = []
  const unchanged: number[] = []
  for (const pair of questions) {
    const { hits } = await ask({ text: pair.question, filters: { 'source.name': nameOf(pair) } })
    const found = hits.map(({ record }) => String(record['msg_id']))
    note(`${pair.question} ${pair.later}`, found)
    if (pair.isChange) changed.push(found[0]?.endsWith(':1') ? 1 : 0)
    else unchanged.push(hits.every(({ because }) => because.later === undefined) ? 1 : 0)
  }
  return { changed: mean(changed), unchanged: mean(unchanged), questions: questions.length }
}
