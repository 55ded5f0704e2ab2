// For `daybook doctor`: whether the table of vectors that comes with the package is whole.
import { neverAborted } from '../../../core/abort.ts'
import { toDaybookError } from '../../../core/errors.ts'
import { type MeaningTable, readMeaningTable } from '../../../recall/embed/meaning/meaning-table.ts'
import { packagedTable } from '../../../recall/embed/meaning/packaged-table.ts'
import { nodeTableHost } from '../model/table-file.ts'

/** The table, or what is wrong with its file, in a sentence. */
export async function readPackagedTable(): Promise<MeaningTable | string> {
  try {
    const bytes = await nodeTableHost.readTable({
      url: undefined,
      path: undefined,
      check: () => undefined,
      onProgress: () => undefined,
      signal: neverAborted,
    })
    const table = readMeaningTable(bytes)
    if (table.name === packagedTable.name) return table
    return `The file of its table is of the model ${table.name}, not of ${packagedTable.name}.`
  } catch (error) {
    return toDaybookError(error).message
  }
}
