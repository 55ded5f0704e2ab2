// `daybook doctor`: checks the installation, the book, its owner process and the services it uses.
// Invariant: it changes nothing; each finding that isn't `ok` has a remedy.
import { DatabaseSync } from '../port/sqlite.ts'
import { product } from '../../../bundle/format/product.ts'
import { checkAddress } from '../../../core/address.ts'
import { defined } from '../../../core/defined.ts'
import { toDaybookError } from '../../../core/errors.ts'
import { readPackagedTable } from './check-table.ts'
import { checkNeeded, type Command, textOf, UsageError } from './command.ts'
import { codeOf, unreadable } from './input-file.ts'
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { schemaVersion } from '../../../store/schema/schema.ts'
import { describeRepair, type RepairReport } from '../../../store/repair/repair-report.ts'
import { bookPathOf } from '../port/book-path.ts'
import { isOfBook } from '../book/book-sign.ts'
import { checkpointPath } from '../book/checkpoint-file.ts'
import { bytesOf, reserveBytes } from '../book/disk-reserve.ts'
import { filesOfBook, isPlain } from '../port/private-file.ts'
import { readSocketNote } from '../socket/socket-place.ts'

/** Optional packages, with their use. */
const optionalPackages = {
  '@huggingface/transformers': 'local embedding models',
  '@platformatic/kafka': 'daybook kafka',
} as const

/** Thrown after the findings are printed if a finding is a fault: exit code 1. */
class FaultsFound extends Error {}

export const doctor: Command = {
  name: 'doctor',
  summary: 'Checks the memory and the services it uses; says what is wrong and what to do. Changes nothing.',
  operands: '',
  options: { url: { type: 'string' }, at: { type: 'string' }, file: { type: 'string' } },
  help: {
    url: '<url>      an edge that should answer; its key is read from $DAYBOOK_KEY',
    at: '<name>      the book there that should answer',
    file: '<file>    as --book',
  },
  async run({ values, terminal, signal, bookFile }) {
    const url = textOf(values, 'url')
    const book = textOf(values, 'at')
    const file = textOf(values, 'file')
    checkNeeded(values, 'at', 'url')
    if (book !== undefined && !process.env['DAYBOOK_KEY'])
      throw new UsageError('--at needs the key of that book: set DAYBOOK_KEY')
    const services = { url, book }
    const findings = [
      ...installed(),
      await checkTable(),
      ...(await checkBook(bookPathOf(file ?? bookFile).path)),
      ...(await checkServices(services, process.env, signal)),
    ]
    const faults = findings.filter(({ state }) => state === 'fault').length
    terminal.answer({ ok: faults === 0, findings }, findings.map(lineOf).join('\n'))
    if (faults > 0) throw new FaultsFound(faults === 1 ? 'One fault.' : `${faults} faults.`)
  },
}

function installed(): Finding[] {
  const db = new DatabaseSync(':memory:')
  const { version } = db.prepare('SELECT sqlite_version() AS version').get() as { version: string }
  db.close()
  const packages = Object.entries(optionalPackages).map(([name, use]) =>
    isInstalled(name) ? ok(name, `installed, for ${use}`) : ok(name, `not installed; needed for ${use} only`),
  )
  return [
    ok(
      'daybook',
      `${product.version}, Node ${process.versions.node}, SQLite ${version}, ${process.platform}`,
    ),
    ...packages,
  ]
}

async function checkTable(): Promise<Finding> {
  const table = await readPackagedTable()
  if (typeof table !== 'string')
    return ok(
      'meaning',
      `its table is whole: ${table.name}, ${table.vocabulary.length.toLocaleString('en')} word pieces`,
    )
  return fault('meaning', table, 'Install the package again. Until then recall answers by words only.')
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

const signs = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' } as const

function lineOf({ subject, state, message, remedy }: Finding): string {
  return `${signs[state]}  ${subject}: ${message}${remedy === undefined ? '' : `\n         ${remedy}`}`
}

// Checks the file of the book.
// Invariant: it opens the file read-only and never creates it.

/** With less free space the disk gets a warning. */
const leastFreeBytes = 256 * 1024 * 1024
/** Longest wait for a process to accept a connection. */
const socketMs = 1000

async function checkBook(path: string): Promise<Finding[]> {
  try {
    for (const one of [path, dirname(path)]) accessSync(one, constants.R_OK)
  } catch (cause) {
    return [
      codeOf(cause) === 'ENOENT'
        ? missingFile(path)
        : fault('book', unreadable(path, cause).message, otherPlace),
    ]
  }
  const found = statSync(path)
  if (!found.isFile())
    return [
      fault(
        'book',
        `${path} is ${found.isDirectory() ? 'a folder' : 'no regular file'} and not a book`,
        'Opening refuses it. Move it away: then opening creates a book here, or restores it from the checkpoint beside it.',
      ),
    ]
  const socket = readSocketNote(path)
  const isHeld = socket !== undefined && (await answers(socket))
  return [checkFile(path, isHeld), holderOf(socket, isHeld), checkMode(path), checkDisk(path)]
}

const otherPlace = 'Run this as the user whose memory it is, or give --home and --agent.'

/** The finding about a missing file: opening restores or creates a book there. */
function missingFile(path: string): Finding {
  if (isPlain(checkpointPath(path)) && bytesOf(checkpointPath(path)) > 0)
    return fault(
      'book',
      `The file ${path} is missing, and its checkpoint is there`,
      'Put the file back, if you moved it. Otherwise open the book: its records come back from the checkpoint, if that can be read.',
    )
  if (reserveBytes(path) > 0)
    return fault(
      'book',
      `The file ${path} is missing, and other files of the book are there`,
      'Put the file back, or restore a copy of it. Otherwise opening starts an empty book, which a mirror fills.',
    )
  return warning('book', `No book at ${path}`, 'Store something, or say --home and --agent.')
}

/** Why the file or its folder can't be written; undefined if both can. */
function whyNotWritable(path: string): string | undefined {
  for (const one of [path, dirname(path)]) {
    try {
      accessSync(one, constants.W_OK)
    } catch (cause) {
      return `${one} can't be written (${codeOf(cause)})`
    }
  }
  return undefined
}

/** The finding about a file that can be read, with `message` about its content. */
function checkWhole(path: string, message: string, db: DatabaseSync | undefined): Finding {
  const barrier = whyNotWritable(path)
  if (barrier !== undefined)
    return fault(
      'book',
      `${message}; ${barrier}`,
      'Opening refuses it. Allow this user to write it: its mode, its attributes (`chattr -i`) and its disk.',
    )
  const broken = db && brokenPart(db)
  if (broken === undefined) return ok('book', message)
  return fault(
    'book',
    `${message}; a part of it is damaged: ${broken}`,
    'Keep the file, and open the book: it is repaired then, or at the opening after the first call that meets the damage and fails.',
  )
}

/** The first fault of a table or an index. */
function brokenPart(db: DatabaseSync): string | undefined {
  const row = db.prepare('PRAGMA quick_check(1)').get()
  const text = String(Object.values(row ?? {})[0] ?? 'ok')
  return text === 'ok' ? undefined : text.slice(0, 200).replaceAll('\n', ' ')
}

function checkFile(path: string, isHeld: boolean): Finding {
  const place = `${path}, ${sizeInWords(statSync(path).size)}`
  // Don't open the file: the newest writes are in SQLite's log, and the owner process holds the lock.
  if (isHeld) return ok('book', `${place}, in use: \`daybook stats\` asks who holds it`)
  // A killed process leaves its newest writes in the log. In a small book, that is everything.
  const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const file = pathToFileURL(path)
  // `immutable`: SQLite reads the file without its log, and creates no files beside it.
  file.search = '?immutable=1'
  try {
    const db = new DatabaseSync(file, { readOnly: true })
    try {
      const read = (sql: string) => Number(db.prepare(sql).get()?.['n'])
      const version = read('SELECT max(version) AS n FROM schema_version')
      const count = read('SELECT count(*) AS n FROM records WHERE deleted = 0')
      const records = `${count} ${count === 1 ? 'record' : 'records'}`
      const newer = logBytes > 0 ? ` without the log of ${sizeInWords(logBytes)}` : ''
      const message = `${place}, ${records}${newer}, schema ${version}`
      if (version > schemaVersion)
        return fault('book', `${message}: a newer Daybook wrote it`, 'Install that version, or a later one.')
      const repair = repairOf(db)
      // Without the log, which SQLite may have copied into the file in part, some pages may be old.
      const finding = checkWhole(path, message, logBytes > 0 ? undefined : db)
      if (repair === undefined || finding.state !== 'ok') return finding
      return warning(
        'book',
        `${message}; ${repair}`,
        'Restore what is missing from a mirror or a copy; then delete the damaged file.',
      )
    } finally {
      db.close()
    }
  } catch (error) {
    if (logBytes > 0 && isTableMissing(error))
      return checkWhole(
        path,
        `${place}, and a log of ${sizeInWords(logBytes)}, which the next process reads`,
        undefined,
      )
    const reason = error instanceof Error ? error.message : String(error)
    return fault('book', `${path} can't be read: ${reason}`, remedyForDamage(path))
  }
}

/** The report of the last repair, while the damaged file that it left exists. */
function repairOf(db: DatabaseSync): string | undefined {
  const text = db.prepare("SELECT value FROM book WHERE key = 'mended'").get()?.['value']
  const mended = typeof text === 'string' ? (JSON.parse(text) as RepairReport) : undefined
  return mended?.aside !== undefined && existsSync(mended.aside) ? describeRepair(mended) : undefined
}

/** Says how opening treats the damaged file. */
function remedyForDamage(path: string): string {
  if (bytesOf(checkpointPath(path)) > 0)
    return 'Keep the file, and open the book: it is repaired from the parts that can be read and from its checkpoint.'
  if (isOfBook(path))
    return 'Keep the file, and open the book: it is repaired from the parts that can be read; without any, it begins empty. A mirror fills the rest, and the damaged file stays beside the book.'
  return 'Keep the file. It cannot be repaired, because no part of a book was found in it: restore a copy of the book, or move the file away to create a book here.'
}

const isTableMissing = (error: unknown) =>
  error instanceof Error && 'errcode' in error && error.errcode === 1 && /no such table/.test(error.message)

/** Whether a process listens on the socket. */
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

/** The finding about the process that owns the book, which listens on `socket`. */
function holderOf(socket: string | undefined, isHeld: boolean): Finding {
  if (socket === undefined) return ok('held by', 'nobody')
  if (isHeld) return ok('held by', `a process that listens at ${socket}`)
  return warning(
    'held by',
    `nobody; ${socket} remains from a process that was killed`,
    'Nothing: the next process that opens the book removes it.',
  )
}

/** Checks that only the owner of the book's files may read them. */
function checkMode(path: string): Finding {
  if (process.platform === 'win32') return ok('permissions', 'as the folder has them')
  const folder = dirname(path)
  // Skip links beside the book: they lead to files that aren't part of it.
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
  const message = `${sizeInWords(free)} free`
  if (free >= leastFreeBytes) return ok('disk', message)
  return warning(
    'disk',
    message,
    'Free some space: on a full disk you can read and forget records, but not store any.',
  )
}

const units = ['B', 'KB', 'MB', 'GB', 'TB']

/** A size as `18.2 MB`, in powers of 1,000. */
function sizeInWords(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${(bytes / 1000 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`
}

// Checks whether the edge and the embedder answer, and which Kafka settings are set.
// Invariant: a key is sent only to its own service and is in no finding.

/** Longest wait for all services together. */
const timeoutMs = 3000

interface Services {
  readonly url: string | undefined
  readonly book: string | undefined
}

async function checkServices(
  { url, book }: Services,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Finding[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  return [
    ...(url === undefined ? [] : [await checkEdge({ url, book }, env['DAYBOOK_KEY'] || undefined, limit)]),
    ...(await checkEmbedder(env, limit)),
    ...checkKafka(env),
  ]
}

async function checkEdge(
  { url, book }: { url: string; book: string | undefined },
  key: string | undefined,
  signal: AbortSignal,
): Promise<Finding> {
  const refusal = key === undefined ? undefined : whyNoKey(url)
  if (refusal !== undefined)
    return fault(
      'edge',
      `No request was sent to ${url}, because it would carry $DAYBOOK_KEY: ${refusal}`,
      'Use its https address, or unset $DAYBOOK_KEY to send the request without the key.',
    )
  const headers: Record<string, string> = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...defined({ 'x-daybook-book': book }),
  }
  try {
    // Don't follow redirects: the key must not be sent to another address.
    const response = await fetch(`${url.replace(/\/$/, '')}/health`, { headers, signal, redirect: 'manual' })
    if (response.status >= 300 && response.status < 400)
      return fault('edge', `${url} redirects to another address.`, 'Give the address of the edge itself.')
    // `database`: only of `daybook serve`. `book`: only for a request with a key and a book. `code`: of an
    // error.
    const health = (await response.json()) as {
      wire?: number
      database?: string
      code?: string
      book?: object
    }
    if (response.ok) {
      const more = health.book === undefined || book === undefined ? '' : `, and the book ${book} with it`
      return ok('edge', `${url} answers, wire ${health.wire}${more}`)
    }
    const why =
      health.code ?? (health.database === 'down' ? 'its database is down' : `status ${response.status}`)
    return fault('edge', `${url} answers with an error: ${why}`, remedyFor(health.code))
  } catch (error) {
    return fault(
      'edge',
      `${url} does not answer: ${reasonOf(error)}`,
      'Check the address, the network, and whether the edge runs.',
    )
  }
}

/** Why no key may be sent to `url`; undefined if it may. */
function whyNoKey(url: string): string | undefined {
  try {
    checkAddress(url, '--url')
    return undefined
  } catch (error) {
    return toDaybookError(error).message
  }
}

const remedyFor = (code: string | undefined) =>
  code === 'unauthorized' || code === 'forbidden'
    ? 'Set $DAYBOOK_KEY to a key of that book.'
    : 'Read the log of the edge.'

/** Checks the embedder at `DAYBOOK_EMBED_URL`, which the edge uses too. No finding without that variable. */
async function checkEmbedder(
  { DAYBOOK_EMBED_URL: url }: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Finding[]> {
  if (url === undefined) return []
  try {
    // Any answer suffices. Send no text: embedding costs money.
    const { status } = await fetch(url, { method: 'HEAD', signal })
    return [ok('embedder', `${new URL(url).origin} answers, status ${status}`)]
  } catch (error) {
    return [
      fault(
        'embedder',
        `$DAYBOOK_EMBED_URL does not answer: ${reasonOf(error)}`,
        'Check the address. Until it answers, recall searches by words only.',
      ),
    ]
  }
}

const kafkaPrefix = 'DAYBOOK_KAFKA_'

function checkKafka(env: NodeJS.ProcessEnv): Finding[] {
  const names = Object.keys(env)
    .filter((name) => name.startsWith(kafkaPrefix) && env[name] !== '')
    .toSorted()
  if (names.length === 0) return []
  const message = `set: ${names.map((name) => `$${name}`).join(', ')}`
  if (names.includes(`${kafkaPrefix}BROKERS`)) return [ok('kafka', message)]
  return [warning('kafka', message, 'Set $DAYBOOK_KAFKA_BROKERS too, or give --brokers.')]
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `nothing within ${timeoutMs / 1000} s`
  // A name with several addresses gives an error for each address: use the first.
  const { cause } = error
  const first = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause
  return first instanceof Error && 'code' in first ? String(first.code) : error.message
}

// One result of `daybook doctor`.

interface Finding {
  readonly subject: string
  readonly state: 'ok' | 'warning' | 'fault'
  readonly message: string
  /** The remedy; absent only if `state` is `ok`. */
  readonly remedy?: string
}

const ok = (subject: string, message: string): Finding => ({ subject, state: 'ok', message })
const warning = (subject: string, message: string, remedy: string): Finding => ({
  subject,
  state: 'warning',
  message,
  remedy,
})
const fault = (subject: string, message: string, remedy: string): Finding => ({
  subject,
  state: 'fault',
  message,
  remedy,
})
