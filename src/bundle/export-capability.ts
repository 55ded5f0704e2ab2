// Exports a book as a bundle: as a stream of text, and by a verb that returns the text page by page, so that an
// export fits every door. `transfer`: the port of exports in progress (`sessions`), hash, cipher and keys.
// Invariant: an export is a snapshot of the book at its first call; a refusal comes before any text.
import { z } from 'zod'
import { checkAborted } from '../core/abort.ts'
import { defineCapability } from '../core/capability/capability.ts'
import type { TaskContext } from '../core/capability/context.ts'
import { defined } from '../core/defined.ts'
import { DaybookError, invalidInput } from '../core/errors.ts'
import { sealed, sealedField } from '../shape/field.ts'
import { type Kinds, unknownKind } from '../core/kind.ts'
import type { Signer } from '../core/ports.ts'
import { canonicalTime } from '../core/time.ts'
import { bundleSignedText } from './format/bundle-shape.ts'
import { product } from './format/product.ts'
import { writeBundle } from './format/bundle-writer.ts'
import { encryptText } from './format/encrypted-bundle.ts'
import { exportedKinds, rangeOf } from './format/bundle-selection.ts'

const instant = z
  .string()
  .max(100)
  .refine((value) => canonicalTime(value) !== undefined, 'is not an ISO 8601 date or time')
export const kindNames = z.array(z.string().min(1).max(100)).min(1).max(100)
/** A shorter passphrase is refused: it could be guessed in spite of the key derivation. */
export const passphrase = z.string().min(8).max(1024)

/** The part of a book to export, and the form of the bundle. */
export const bundleSelection = {
  /**
   * Kinds, by name (`trace`) or plural (`traces`). Default: all, except kinds that grant rights (control
   * tokens).
   */
  kinds: kindNames.optional(),
  /**
   * Range of event times. A date is its whole day in the book's zone; a time without an offset is UTC. Definitions
   * without a time are always included.
   */
  from: instant.optional(),
  to: instant.optional(),
  /** Encrypts the bundle. */
  passphrase: passphrase.optional(),
  /** Signs the bundle with the key of this book (Ed25519), to prove its origin. */
  sign: z.boolean().optional(),
}

/** The options of an export, parsed. `includeTokens` and `includeSensitive`: see `input` below. */
export interface BundleSelection {
  readonly kinds?: readonly string[] | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly passphrase?: string | undefined
  readonly sign?: boolean | undefined
  readonly includeTokens?: boolean | undefined
  readonly includeSensitive?: boolean | 'sealed' | undefined
}

export interface BundleStream {
  /** The text. `done` and `checksum` advance as it is read. */
  readonly pieces: AsyncGenerator<string, void, undefined>
  /** The time of the export, as canonical UTC text. */
  readonly exportedAt: string
  /** Number of records to write. */
  readonly total: number
  /**
   * Number of records that stay sealed: those that can't be read here; with `includeSensitive: 'sealed'`, all
   * sealed ones.
   */
  readonly sealed: number
  /** Number of records written so far. */
  done(): number
  /** The checksum; undefined until all pieces are read. */
  checksum(): string | undefined
}

/** Starts an export: takes the snapshot, and returns the text as a stream. Throws before any text. */
export async function exportBundle(
  selection: BundleSelection,
  at: TaskContext<'records' | 'transfer'>,
  exportedAt: string = at.call.now,
): Promise<BundleStream> {
  const signer = selection.sign ? await requireSigner(at) : undefined
  const sensitive = selection.includeSensitive
  const kinds = exportedKinds(
    withUnknownKinds(at),
    selection.kinds && [...selection.kinds],
    selection.includeTokens === true,
  )
  // `includeUnreadable`: also sealed records that can't be read here, which stay sealed. `keepSealed`: every sealed
  // record stays sealed; without it, `snapshot.sealed` counts records that would be in clear text.
  const snapshot = at.records.snapshot({
    kinds: kinds.map(({ name }) => name),
    ...rangeOf(selection.from, selection.to, at.call.zone),
    includeSealed: sensitive !== false,
    includeUnreadable: sensitive !== false,
    keepSealed: sensitive === 'sealed',
  })
  if (snapshot.sealed > 0 && selection.passphrase === undefined && sensitive === undefined) {
    const message = `${snapshot.sealed} sensitive records would be in clear text in the bundle. Give a passphrase, or set \`includeSensitive\`.`
    throw new DaybookError('invalid-input', message, {
      details: { path: 'includeSensitive', sensitive: snapshot.sealed },
    })
  }
  let recordsDone = 0
  let finalChecksum: string | undefined
  const bundleText = writeBundle({
    head: { exported_at: exportedAt, agent: { id: at.call.scope.agent, ...product } },
    // Without marks in the book, the bundle has no list of marks.
    kinds: kinds.filter(({ name, marks }) => marks === undefined || snapshot.counts.has(name)),
    snapshot,
    digest: at.transfer.digest.start(),
    async createIntegrity(checksum) {
      finalChecksum = checksum
      return signer
        ? { checksum, public_key: signer.key, signature: await signer.sign(bundleSignedText(checksum)) }
        : { checksum }
    },
    onProgress(done) {
      recordsDone = done
    },
  })
  return {
    pieces:
      selection.passphrase === undefined
        ? bundleText
        : encryptText(bundleText, selection.passphrase, at.transfer),
    exportedAt,
    total: [...snapshot.counts.values()].reduce((total, count) => total + count, 0),
    sealed: sensitive === false ? 0 : snapshot.locked,
    done: () => recordsDone,
    checksum: () => finalChecksum,
  }
}

/** The kinds of this version, and the unknown kinds (of a later version) of the book's records. */
function withUnknownKinds({ records, transfer }: TaskContext<'records' | 'transfer'>): Kinds {
  const unknown = transfer.unknownKinds().map((name) => [name, unknownKind(name)] as const)
  return new Map([...records.kinds, ...unknown])
}

async function requireSigner({ transfer: { keys } }: TaskContext<'transfer'>): Promise<Signer> {
  const signer = await keys.signer()
  if (!signer) throw new DaybookError('signing-off')
  return signer
}

const input = z
  .strictObject({
    ...bundleSelection,
    /** Includes control tokens. They grant rights, and every reader of the bundle can use them. */
    includeTokens: z.boolean().optional(),
    /**
     * Sensitive records: true writes them in clear text, false leaves them out, `sealed` leaves them sealed,
     * readable with the keys of this book. Default: true in an encrypted bundle. Required for an open bundle if the
     * book has sensitive records.
     */
    includeSensitive: z.union([z.boolean(), z.literal('sealed')]).optional(),
    /** The `cursor` of the previous page. Give no other option with it, except `cancel`. */
    cursor: z.string().max(100).optional(),
    /** With `cursor`: cancels the export. */
    cancel: z.boolean().optional(),
  })
  .refine(
    ({ cursor, cancel, ...rest }) =>
      cursor === undefined ? cancel === undefined : Object.values(rest).every((value) => value === undefined),
    { path: ['cursor'], message: 'Give `cursor` alone, or with `cancel`' },
  )

type Context = TaskContext<'records' | 'transfer'>
type Options = z.output<typeof input>
interface Page {
  readonly text: string
  readonly cursor?: string
  readonly done: number
  readonly total: number
  readonly exportedAt?: string
  readonly checksum?: string
  readonly sealed?: number
}

/** Fewest characters of a page; the last page may be shorter. */
const minPageLength = 262_144

export const exportCapabilities = [
  defineCapability({
    id: 'bundle:export',
    permission: 'export',
    methods: ['bundles.export'],
    summary: 'Exports the book, or part of it, as a kstar-bundle, one page of its text per call.',
    input,
    output: z.object({
      text: z.string(),
      /** The cursor of the next page; absent on the last page. */
      cursor: z.string().optional(),
      /** Number of records written so far. */
      done: z.number(),
      /** Number of records in total. */
      total: z.number(),
      /** On the first page: the bundle's time. */
      exportedAt: z.string().optional(),
      /** On the last page: the bundle's checksum. */
      checksum: z.string().optional(),
      /** Number of records that stay sealed in the bundle; see `BundleStream`. Absent: 0. */
      sealed,
    }),
    effect: 'task',
    secrets: ['passphrase'],
    uses: ['records', 'transfer'],
    async run(options, at) {
      if (options.cursor === undefined) return beginExport(options, at)
      const [sessionId = '', pageIndex] = options.cursor.split('.')
      const session = at.transfer.sessions.find(sessionId)
      if (options.cancel) {
        // The id of another verb's session stays with that verb.
        if (session instanceof ExportSession) at.transfer.sessions.drop(sessionId)
        return { text: '', done: 0, total: 0 }
      }
      if (!(session instanceof ExportSession)) {
        throw new DaybookError('not-found', 'This export has ended, or waited too long. Start it again.', {
          details: { path: 'cursor' },
        })
      }
      return session.page(Number(pageIndex), at)
    },
  }),
] as const

async function beginExport(options: Options, at: Context): Promise<Page> {
  for (const option of ['sign', 'includeTokens', 'includeSensitive'] as const) {
    // `includeSensitive: false` is allowed.
    if (options[option] && at.call.caller.role === 'guest') {
      throw new DaybookError(
        'forbidden',
        'Only the owner can sign a bundle, or include tokens and sensitive records.',
        {
          details: { path: option },
        },
      )
    }
  }
  const session = new ExportSession(await exportBundle(options, at))
  session.id = at.transfer.sessions.keep(session)
  return session.page(0, at)
}

/** An export in progress. It is a class, so that `instanceof` rejects sessions of other verbs. */
class ExportSession {
  readonly bundle: BundleStream
  /** The name under which `transfer.sessions` keeps it. */
  id = ''
  /** The index of the last page; -1 before the first. */
  #pageIndex = -1
  #lastPage: Promise<Page> | undefined

  constructor(bundle: BundleStream) {
    this.bundle = bundle
  }

  /**
   * Page `index`: the next page, or the last page again if its answer was lost. Throws `invalid-input` for another
   * page.
   */
  page(index: number, at: Context): Promise<Page> {
    if (index === this.#pageIndex && this.#lastPage) return this.#lastPage
    if (index !== this.#pageIndex + 1) {
      throw invalidInput('cursor', 'Read the pages of an export in order')
    }
    this.#pageIndex = index
    const previousPage = this.#lastPage ?? Promise.resolve()
    this.#lastPage = previousPage.then(() => this.#read(index, at))
    return this.#lastPage
  }

  async #read(index: number, at: Context): Promise<Page> {
    const { pieces, exportedAt, total, sealed: unreadable, checksum } = this.bundle
    let text = ''
    let isDone = false
    try {
      while (!isDone && text.length < minPageLength) {
        checkAborted(at.call.signal)
        const step = await pieces.next()
        isDone = step.done === true
        if (!step.done) text += step.value
      }
    } catch (error) {
      at.transfer.sessions.drop(this.id)
      throw error
    }
    // If the only page is complete, there is no cursor to repeat it: end the session. After `finish`, a call
    // can repeat the last page for 30 seconds.
    if (isDone && index === 0) at.transfer.sessions.drop(this.id)
    else if (isDone) at.transfer.sessions.finish(this.id)
    const done = this.bundle.done()
    at.call.progress({ done, total, subject: 'export' })
    const checksumText = checksum()
    return {
      text,
      done,
      total,
      ...sealedField(unreadable),
      ...(index === 0 ? { exportedAt } : {}),
      ...(isDone ? defined({ checksum: checksumText }) : { cursor: `${this.id}.${index + 1}` }),
    }
  }
}
