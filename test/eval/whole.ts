// Lists, orders and summaries: is the whole answer among the hits, and in the order of time. The question itself says what is
// wanted.
import { keyOf } from '../golden/corpus.ts'
import { fillWhole } from '../golden/whole/whole-corpus.ts'
import { measureWhole, wholeSets } from '../golden/whole/whole-measure.ts'
import type { EvalBook, Figures } from './eval-book.ts'

export async function evalWhole(
  _path: string,
  open: () => Promise<EvalBook>,
): Promise<Readonly<Record<string, Figures>>> {
  const one = await open()
  await fillWhole(one.book)
  await one.ready()
  const find = async (text: string, limit: number) => (await one.recall({ text, limit })).hits.map(keyOf)
  const figures: Record<string, Figures> = {}
  for (const { name, questions } of wholeSets) figures[name] = { ...(await measureWhole(questions, find)) }
  await one.close()
  return figures
}
