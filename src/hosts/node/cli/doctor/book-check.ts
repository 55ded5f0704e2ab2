// Where the book is, what it holds, who has it open, and who could read it. Invariant: it is read only, and never made.
import { existsSync, statfsSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DatabaseSync } from '../../port/sqlite.ts'
import { schemaVersion } from '../../../../store/schema/schema.ts'
import { sizeInWords } from './size.ts'
import { filesOfBook, isPlain } from '../../port/private-file.ts'
import { readSocketNote } from '../../socket/socket-place.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

const leastFreeBytes = 256 * 1024 * 1024
const socketMs = 1000

export async function checkBook(path: string): Promise<Finding[]> {
  if (!existsSync(path))
    return [warning('book', `there is none at ${path}`, 'Store something, or say --home and --agent.')]
  const socket = readSocketNote(path)
  const isHeld = socket !== undefined && (await answers(socket))
  return [checkFile(path, isHeld), holderOf(socket, isHeld), checkMode(path), checkDisk(path)]
}

function checkFile(path: string, isHeld: boolean): Finding {
  const place = `${path}, ${sizeInWords(statSync(path).size)}`
  // What its holder has written lies in other files too, and is its holder's to read.
  if (isHeld) return ok('book', `${place}, in use: \`daybook stats\` asks who holds it`)
  const file = pathToFileURL(path)
  // As it stands, without the files that SQLite would make beside it.
  file.search = '?immutable=1'
  try {
    const db = new DatabaseSync(file, { readOnly: true })
    try {
      const read = (sql: string) => Number(db.prepare(sql).get()?.['n'])
      const version = read('SELECT max(version) AS n FROM schema_version')
      const count = read('SELECT count(*) AS n FROM records WHERE deleted = 0')
      const says = `${place}, ${count} ${count === 1 ? 'record' : 'records'}, schema ${version}`
      if (version <= schemaVersion) return ok('book', says)
      return fault('book', `${says}: a newer Daybook has written it`, 'Install that version, or a later one.')
    } finally {
      db.close()
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fault(
      'book',
      `${path} can't be read: ${reason}`,
      'Keep the file, and open the book: it is mended from what can be read of it.',
    )
  }
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const line = connect(socket)
    const end = (isThere: boolean) => {
      line.destroy()
      resolve(isThere)
    }
    line.setTimeout(socketMs, () => end(false))
    line.once('connect', () => end(true))
    line.once('error', () => end(false))
  })
}

/** A process that has a book open listens for others. */
function holderOf(socket: string | undefined, isHeld: boolean): Finding {
  if (socket === undefined) return ok('held by', 'nobody')
  if (isHeld) return ok('held by', `a process that listens at ${socket}`)
  return warning(
    'held by',
    `nobody; ${socket} is left of a process that was killed`,
    'Nothing: the next one that opens the book clears it away.',
  )
}

/** Books are their owner's alone. */
function checkMode(path: string): Finding {
  if (process.platform === 'win32') return ok('permissions', 'as the folder has them')
  const folder = dirname(path)
  // What a link beside the book leads to is not the book's.
  const own = filesOfBook(path).map((name) => join(folder, name))
  const open = [folder, ...own.filter((one) => one === path || isPlain(one))].filter(
    (one) => (statSync(one).mode & 0o077) !== 0,
  )
  if (open.length === 0) return ok('permissions', 'nobody else can read it')
  return fault(
    'permissions',
    `others may read or change ${open.join(', ')}`,
    `Run \`chmod go= ${open.join(' ')}\`.`,
  )
}

function checkDisk(path: string): Finding {
  const { bavail, bsize } = statfsSync(dirname(path))
  const free = bavail * bsize
  const says = `${sizeInWords(free)} free`
  if (free >= leastFreeBytes) return ok('disk', says)
  return warning(
    'disk',
    says,
    'Make room: a book on a full disk can be read, and emptied by forgetting, and takes nothing more.',
  )
}
