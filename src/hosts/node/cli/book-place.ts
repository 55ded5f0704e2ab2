// Where the memory of an agent lies: `<home>/agents/<agent>/memory/book.daybook`, exports beside it in `export/`.
// Invariant: folders and files are made for their owner only: see private-file.ts.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { checkBookName } from '../../../core/book.ts'
import { isDaybookError } from '../../../core/errors.ts'
import { makeOwnFolder } from '../port/private-file.ts'
import { UsageError } from './usage-error.ts'

export interface BookPlace {
  readonly agent: string
  readonly bookFile: string
  readonly exportFolder: string
}

export function placeOf(home: string | undefined, agent: string): BookPlace {
  try {
    checkBookName(agent)
  } catch (error) {
    if (isDaybookError(error))
      throw new UsageError('--agent takes 1 to 64 letters, digits, dots, dashes and underscores')
    throw error
  }
  const folder = join(resolve(home ?? join(homedir(), '.p3394')), 'agents', agent)
  return { agent, bookFile: join(folder, 'memory', 'book.daybook'), exportFolder: join(folder, 'export') }
}

/** Makes the folder of a new book, or says that there is no book. */
export function requirePlace({ agent, bookFile }: BookPlace, create: boolean): void {
  if (create) makeOwnFolder(join(bookFile, '..'))
  else if (!existsSync(bookFile)) {
    throw new Error(`Agent \`${agent}\` has no memory here: there is no ${bookFile}`)
  }
}
