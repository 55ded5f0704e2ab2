// Exporting a book as a bundle, page by page: each call answers the next piece of text, so that one export crosses any
// door. Invariant: what is exported is the book as it stood at the first call, whatever is written meanwhile.
import { z } from 'zod'
import { checkAborted } from '../core/abort.ts'
import { defineCapability } from '../core/capability/capability.ts'
import type { TaskContext } from '../core/capability/context.ts'
import { DaybookError } from '../core/errors.ts'
import { type Kinds, unknownKind } from '../core/kind.ts'
import type { Signer } from '../core/ports.ts'
import { canonicalTime } from '../core/time.ts'
import { sealed, sealedField } from '../shape/sealed-count.ts'
import { exportedKinds, rangeOf } from './format/bundle-choice.ts'
import { signedText } from './format/bundle-shape.ts'
import { writeBundle } from './format/bundle-writer.ts'
import { product } from './format/product.ts'
import { sealText } from './format/sealed-text.ts'

const instant = z
  .string()
  .max(100)
  .refine((value) => canonicalTime(value) !== undefined, 'is not an ISO 8601 date or time')
export const kindNames = z.array(z.string().min(1).max(100)).min(1).max(100)
/** Short ones fall to a dictionary, whatever the iterations. */
export const passphrase = z.string().min(8).max(1024)

const input = z
  .strictObject({
    /** Kinds, by name (`trace`) or plural (`traces`). Default: all that are not guarded. */
    kinds: kindNames.optional(),
    /** When it happened: a date stands for its whole day. Definitions without a time are always included. */
    from: instant.optional(),
    to: instant.optional(),
    /** Control tokens too. They are authority: whoever reads the bundle learns of them. */
    include_tokens: z.boolean().optional(),
    /**
     * Sensitive records too: default in an encrypted bundle only. True writes them in clear into an open one, false leaves
     * them out. An open bundle of a book that has some is refused until this is said.
     */
    include_sensitive: z.boolean().optional(),
    /** Encrypts the bundle. */
    passphrase: passphrase.optional(),
    /** Signs the bundle with the key of this book (Ed25519), so that others can tell who wrote it. */
    sign: z.boolean().optional(),
    /** Continues an export: what the call before answered as `cursor`. Stands alone. */
    cursor: z.string().max(100).optional(),
    /** With `cursor`: ends the export here. */
    cancel: z.boolean().optional(),
  })
  .refine(
    ({ cursor, cancel, ...rest }) =>
      cursor === undefined ? cancel === undefined : Object.values(rest).every((value) => value === undefined),
    { path: ['cursor'], message: '`cursor` stands alone, or with `cancel`' },
  )

type Context = TaskContext<'records' | 'transfer'>
type Options = z.output<typeof input>
interface Page {
  readonly text: string
  readonly cursor?: string
  readonly done: number
  readonly total: number
  readonly sealed?: number
}

/** Characters a page has at least, but for the last. */
const pageLength = 262_144

export const exportCapabilities = [
  defineCapability({
    id: 'bundle:export',
    permission: 'export',
    methods: ['bundles.export'],
    summary: 'Exports the book, or part of it, as a kstar-bundle: one page of its text for each call.',
    input,
    output: z.object({
      text: z.string(),
      /** Ask with it for what follows; absent with the last page. */
      cursor: z.string().optional(),
      /** Records written so far, and in all. */
      done: z.number(),
      total: z.number(),
      /** Records that can't be read here: the bundle has them as they are sealed. Absent: none. */
      sealed,
    }),
    effect: 'task',
    secrets: ['passphrase'],
    uses: ['records', 'transfer'],
    async run(options, at) {
      if (options.cursor === undefined) return beginExport(options, at)
      const [name = '', n] = options.cursor.split('.')
      const session = at.transfer.sessions.find(name)
      if (options.cancel) {
        at.transfer.sessions.drop(name)
        return { text: '', done: 0, total: 0 }
      }
      if (!(session instanceof ExportSession)) {
        throw new DaybookError('not-found', 'This export has ended, or waited too long.', {
          details: { path: 'cursor' },
        })
      }
      return session.page(Number(n), at)
    },
  }),
] as const

async function beginExport(options: Options, at: Context): Promise<Page> {
  for (const own of ['sign', 'include_tokens', 'include_sensitive'] as const) {
    if (options[own] && at.call.caller.role === 'guest') {
      throw new DaybookError(
        'forbidden',
        'Only the owner signs for the book, and takes its tokens and sensitive records along.',
        {
          details: { path: own },
        },
      )
    }
  }
  const signer = options.sign ? await needSigner(at) : undefined
  const kinds = exportedKinds(withUnknown(at), options.kinds, options.include_tokens === true)
  const snapshot = at.records.snapshot({
    kinds: kinds.map(({ name }) => name),
    ...rangeOf(options.from, options.to, at.call.zone),
    sealed: options.include_sensitive !== false,
    unread: options.include_sensitive !== false,
  })
  if (snapshot.sealed > 0 && options.passphrase === undefined && options.include_sensitive === undefined) {
    const message = `${snapshot.sealed} sensitive records would leave in clear: give a passphrase, or say with \`include_sensitive\` whether they are to be in an open bundle.`
    throw new DaybookError('invalid-input', message, {
      details: { path: 'include_sensitive', sensitive: snapshot.sealed },
    })
  }
  const total = [...snapshot.counts.values()].reduce((sum, count) => sum + count, 0)
  const session = new ExportSession(total, options.include_sensitive === false ? 0 : snapshot.locked)
  const plain = writeBundle({
    head: { exported_at: at.call.now, agent: { id: at.call.scope.agent, ...product } },
    // A book without marks has no list of them.
    kinds: kinds.filter(({ name, marks }) => marks === undefined || snapshot.counts.has(name)),
    snapshot,
    digest: at.transfer.digest.start(),
    seal: async (checksum) =>
      signer
        ? { checksum, public_key: signer.key, signature: await signer.sign(signedText(checksum)) }
        : { checksum },
    onRecords: (done) => {
      session.done = done
    },
  })
  session.pieces = options.passphrase === undefined ? plain : sealText(plain, options.passphrase, at.transfer)
  session.name = at.transfer.sessions.keep(session)
  return session.page(0, at)
}

/** The kinds that a bundle may hold, and those of a later Daybook that the book has records of. */
function withUnknown({ records }: Context): Kinds {
  const unknown = records.unknownKinds().map((name) => [name, unknownKind(name)] as const)
  return new Map([...records.kinds, ...unknown])
}

async function needSigner({ transfer: { keys } }: Context): Promise<Signer> {
  const signer = await keys.signer()
  if (!signer) throw new DaybookError('signing-off')
  return signer
}

/** One export in progress. A class, so that a name of something else is not taken for one. */
class ExportSession {
  readonly total: number
  /** How many of them go as they are sealed. */
  readonly sealed: number
  name = ''
  done = 0
  pieces: AsyncGenerator<string, void, undefined> | undefined
  #given = -1
  #last: Promise<Page> | undefined

  constructor(total: number, sealed: number) {
    this.total = total
    this.sealed = sealed
  }

  /** Page `n`: the next one, or the one before again, for a caller whom its answer did not reach. */
  page(n: number, at: Context): Promise<Page> {
    if (n === this.#given && this.#last) return this.#last
    if (n !== this.#given + 1) {
      throw new DaybookError('invalid-input', '`cursor`: The pages of an export are read in order.', {
        details: { path: 'cursor' },
      })
    }
    this.#given = n
    const before = this.#last ?? Promise.resolve()
    this.#last = before.then(() => this.#read(n, at))
    return this.#last
  }

  async #read(n: number, at: Context): Promise<Page> {
    let text = ''
    let isDone = false
    try {
      while (!isDone && text.length < pageLength) {
        checkAborted(at.call.signal)
        const step = await this.pieces?.next()
        isDone = !step || step.done === true
        if (step && !step.done) text += step.value
      }
    } catch (error) {
      at.transfer.sessions.drop(this.name)
      throw error
    }
    at.call.progress({ done: this.done, total: this.total, what: 'export' })
    const page = { text, done: this.done, total: this.total, ...sealedField(this.sealed) }
    return isDone ? page : { ...page, cursor: `${this.name}.${n + 1}` }
  }
}
