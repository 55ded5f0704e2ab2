// Exporting a book as a bundle, page by page: each call answers the next piece of text, so that one export crosses any
// door. Invariant: what is exported is the book as it stood at the first call, whatever is written meanwhile.
import { z } from 'zod'
import { checkAborted } from '../core/abort.ts'
import { defineCapability } from '../core/capability/capability.ts'
import type { TaskContext } from '../core/capability/context.ts'
import { DaybookError } from '../core/errors.ts'
import { sealed, sealedField } from '../shape/sealed-count.ts'
import { type BundleText, bundleWish, openBundleText } from './open-bundle-text.ts'

const input = z
  .strictObject({
    ...bundleWish,
    /** Control tokens too. They are authority: whoever reads the bundle learns of them. */
    include_tokens: z.boolean().optional(),
    /**
     * Sensitive records too: default in an encrypted bundle only. True writes them in clear into an open one, false leaves
     * them out, `sealed` takes them as they are sealed, for whoever has the keys of this book. An open bundle of a book that
     * has some is refused until this is said.
     */
    include_sensitive: z.union([z.boolean(), z.literal('sealed')]).optional(),
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
  readonly exported_at?: string
  readonly checksum?: string
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
      /** With the first page: when it was written, as the bundle says. */
      exported_at: z.string().optional(),
      /** With the last page: of the content, as the bundle says. */
      checksum: z.string().optional(),
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
  const session = new ExportSession(await openBundleText(options, at))
  session.name = at.transfer.sessions.keep(session)
  return session.page(0, at)
}

/** One export in progress. A class, so that a name of something else is not taken for one. */
class ExportSession {
  readonly bundle: BundleText
  name = ''
  #given = -1
  #last: Promise<Page> | undefined

  constructor(bundle: BundleText) {
    this.bundle = bundle
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
    const { pieces, exportedAt, total, sealed: unread, checksum } = this.bundle
    let text = ''
    let isDone = false
    try {
      while (!isDone && text.length < pageLength) {
        checkAborted(at.call.signal)
        const step = await pieces.next()
        isDone = step.done === true
        if (!step.done) text += step.value
      }
    } catch (error) {
      at.transfer.sessions.drop(this.name)
      throw error
    }
    if (isDone && n === 0) at.transfer.sessions.drop(this.name)
    else if (isDone) at.transfer.sessions.finish(this.name)
    const done = this.bundle.done()
    at.call.progress({ done, total, what: 'export' })
    const sum = checksum()
    return {
      text,
      done,
      total,
      ...sealedField(unread),
      ...(n === 0 ? { exported_at: exportedAt } : {}),
      ...(isDone ? (sum === undefined ? {} : { checksum: sum }) : { cursor: `${this.name}.${n + 1}` }),
    }
  }
}
