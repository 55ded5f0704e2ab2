// Making an earlier version of a record the current one. It is a change like any other, so it can be undone the same way.
import { openedBook } from '../book.ts'
import { reloadDetail } from './record-detail.ts'
import { tell, tellError } from '../../page/toast.ts'

export async function restoreVersion(id: string, version: number): Promise<void> {
  try {
    const current = await openedBook()
    const { versions } = await current.records.history({ id })
    const before = versions.at(-1)?.version
    await current.records.restore({ id, version })
    reloadDetail()
    const undo = { word: 'Undo', run: () => void restoreVersion(id, before ?? version) }
    tell(
      `Version ${version} restored. Earlier versions stay in the history.`,
      before === undefined ? undefined : undo,
    )
  } catch (error) {
    tellError('The version was not restored.', error)
  }
}
