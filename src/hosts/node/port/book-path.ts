// Finds the file of a book when links lead to it: all files of the book are beside that file, so that every path to the
// book uses the same ones. An earlier Daybook stored some beside the link.
import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { causeText } from '../../../store/repair/damage.ts'
import { isLink, removeDatabase, removePlain } from './private-file.ts'
import { nodePorts } from './node-ports.ts'

export interface BookPath {
  /** The path of the book's file without links, or `:memory:`. The file may be missing. */
  readonly path: string
  /** The path by which the book is opened, if that is a link to `path`. */
  readonly link?: string | undefined
}

/** As many links in a row as Linux follows. */
const mostLinks = 40

/** Follows the links at the absolute path `start` and in its folders. If the system refuses that, `path` is `start`. */
export function bookPathOf(start: string): BookPath {
  try {
    const path = follow(start, mostLinks)
    return isLink(start) ? { path, link: start } : { path }
  } catch {
    // Opening the book reports the reason.
    return { path: start }
  }
}

/** Like `realpathSync`, also for a missing file, and for a link that leads to one. */
function follow(path: string, links: number): string {
  if (statSync(path, { throwIfNoEntry: false })) return realpathSync(path)
  const folder = dirname(path)
  if (folder === path || links === 0) return path
  const real = follow(folder, links)
  const own = join(real, basename(path))
  return lstatSync(own, { throwIfNoEntry: false })?.isSymbolicLink()
    ? follow(resolve(real, readlinkSync(own)), links - 1)
    : own
}

/**
 * Deletes what an earlier Daybook left beside a link. Call it only after the book was opened. A copy there is never used:
 * it may have records that were forgotten by another path.
 */
export function dropBesideLink({ path, link }: BookPath): void {
  // A link may lead to a file beside it that has the name of a copy, such as its checkpoint.
  if (link === undefined || path.startsWith(link)) return
  try {
    for (const suffix of ['.checkpoint', '.mending', '.mending-source']) removeDatabase(link + suffix)
    removePlain(`${link}.reserve`)
  } catch (error) {
    nodePorts.log.warn(
      'Files of an earlier Daybook beside a link could not be deleted. Delete them: they may have forgotten records.',
      {
        file: link,
        reason: causeText(error),
      },
    )
  }
}
