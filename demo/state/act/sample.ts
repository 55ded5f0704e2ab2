// Runs the guided sample against the open book, once at a time.
import { signal } from '@preact/signals'
import { countOf } from '../../wording/text-word.ts'
import { openedBook } from '../book.ts'
import { reloadList } from '../list/record-list.ts'
import { tell, tellError } from '../../page/toast.ts'

export const isSampling = signal(false)

export async function loadSample(): Promise<void> {
  if (isSampling.peek()) return
  isSampling.value = true
  try {
    const { runSample } = await import('../../sample/run-sample.ts')
    const { traces, firstDoors, secondDoors } = await runSample(await openedBook())
    await reloadList()
    tell(
      `A scripted agent stored ${countOf(traces, 'trace')}: ${firstDoors} doors on its first visit, ${secondDoors} on its second, because it recalled the dead ends.`,
    )
  } catch (error) {
    tellError('The sample stopped early. What it had stored is kept.', error)
  } finally {
    isSampling.value = false
  }
}
