// Seed shapes of the KSTAR memory for the whole book: export and import of a bundle as one JSON value, sync, status,
// statistics.
// Invariant: a bundle is one value in memory here, so its size is limited. Larger bundles need `bundle:export` and
// `bundle:import`.
// `fieldNames` maps the capability's name of a field to the shape's.
import { z } from 'zod'
import { defined } from '../../core/defined.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Json } from '../../core/json/path.ts'
import {
  inputFields,
  type Fields,
  object,
  singleCallShape,
  type SeedShape,
  type ShapeContext,
  text,
  toCapabilityNames,
  kstarNames,
} from './shape.ts'

/** Maximum UTF-16 units of a bundle as one value. */
export const maxBundleLength = 16_000_000
/** UTF-16 units of a bundle that one call of `bundle:import` sends. */
const pieceLength = 1_000_000

const types = z.array(text).optional()

const exportFields = {
  kinds: 'types',
  includeTokens: 'include_tokens',
  includeSensitive: 'include_sensitive',
}
const importFields = {
  kinds: 'types',
  includeTokens: 'include_tokens',
  dryRun: 'dry_run',
  allowIncomplete: 'allow_incomplete',
  signedBy: 'signed_by',
}

export const bookShapes: readonly SeedShape[] = [
  {
    names: kstarNames('export_bundle', 'kstar:export_memory', 'mcp__kstar__export_memory', 'export_memory'),
    summary: 'Exports the memory, or part of it, as one bundle.',
    capabilities: ['bundle:export'],
    input: inputFields({
      include_tokens: z.boolean().default(false),
      types,
      /** Required for a bundle without a passphrase if the book has sensitive records. */
      include_sensitive: z.union([z.boolean(), z.literal('sealed')]).optional(),
      /** Encrypts the bundle, which is then a text. */
      passphrase: text.optional(),
      sign: z.boolean().optional(),
      from: text.optional(),
      to: text.optional(),
    }),
    wrapperField: 'options',
    fieldNames: exportFields,
    answerSchema: z.object({ bundle: z.union([object, text]) }),
    async run(options, at) {
      const bundle = await exportAllPages(toCapabilityNames(options, exportFields), at)
      // An encrypted bundle is text in lines, not JSON.
      return { bundle: options['passphrase'] === undefined ? (JSON.parse(bundle) as Json) : bundle }
    },
  },
  {
    names: kstarNames('import_bundle', 'kstar:import_memory', 'mcp__kstar__import_memory', 'import_memory'),
    summary: 'Imports a bundle: all of it, or nothing.',
    capabilities: ['bundle:import'],
    input: inputFields({
      bundle: z.union([object, text]),
      types,
      replace: z.boolean().optional(),
      include_tokens: z.boolean().optional(),
      dry_run: z.boolean().optional(),
      allow_incomplete: z.boolean().optional(),
      passphrase: text.optional(),
      signed_by: text.optional(),
    }),
    wrapperField: 'options',
    // `text` only for the paths of errors: `run` converts the bundle itself.
    fieldNames: { ...importFields, text: 'bundle' },
    answerSchema: z.looseObject({ imported_count: z.number(), conflicts: z.unknown() }),
    async run({ bundle, replace, ...options }, at) {
      const result = await importInPieces(typeof bundle === 'string' ? bundle : JSON.stringify(bundle), at, {
        ...toCapabilityNames(options, importFields),
        ...(replace === true ? { mode: 'replace' } : {}),
      })
      const { imported, updated, unchanged, forgotten, conflicts, tokensSkipped } = result
      const skipped = defined({ tokens_skipped: tokensSkipped })
      return { imported_count: imported, updated, unchanged, forgotten, conflicts, ...skipped }
    },
  },
  singleCallShape({
    names: ['daybook:sync', 'kstar:sync', 'mcp__kstar__sync', 'sync'],
    summary: 'Syncs with the mirror, in both directions or in one.',
    capability: 'daybook:sync',
    input: inputFields({ direction: text.default('bidirectional') }),
  }),
  singleCallShape({
    names: kstarNames('get_sync_state'),
    summary: 'Says when the book last synced and what waits.',
    capability: 'daybook:status',
    input: inputFields({}),
    answerSchema: z.looseObject({ last_sync_timestamp: text.nullable() }),
    toShapeAnswer({ sync }) {
      const { lastSyncedAt, ...state } = sync as Fields
      return { ...state, last_sync_timestamp: lastSyncedAt ?? null }
    },
  }),
  singleCallShape({
    names: kstarNames('get_stats'),
    summary: 'Says how much there is, and from when to when.',
    capability: 'kstar:get_stats',
    input: inputFields({}),
    answerSchema: z.looseObject({
      trace_count: z.number(),
      perception_count: z.number(),
      fact_count: z.number(),
      skill_count: z.number(),
    }),
    toShapeAnswer(stats) {
      const kinds = stats['kinds'] as Readonly<Record<string, { readonly count: number }>>
      const counts = ['trace', 'perception', 'fact', 'skill'].map((kind) => [
        `${kind}_count`,
        kinds[kind]?.count ?? 0,
      ])
      const { dateRange, ...rest } = stats
      return { ...rest, date_range: dateRange, ...Object.fromEntries(counts) }
    },
  }),
]

async function exportAllPages(options: object, { call }: ShapeContext): Promise<string> {
  let bundle = ''
  let input: object = options
  for (let step = 0; ; step++) {
    const { text: page, cursor } = (await call('bundle:export', input, step)) as {
      readonly text: string
      readonly cursor?: string
    }
    bundle += page
    if (cursor === undefined) return bundle
    if (bundle.length > maxBundleLength) {
      await call('bundle:export', { cursor, cancel: true }, step + 1)
      throw new DaybookError(
        'too-large',
        `The bundle has more than ${maxBundleLength} characters: export it page by page with \`bundle:export\`, or only some \`types\`.`,
        { details: { path: 'bundle', limitCharacters: maxBundleLength } },
      )
    }
    input = { cursor }
  }
}

async function importInPieces(bundle: string, { call }: ShapeContext, options: object): Promise<Fields> {
  if (bundle.length > maxBundleLength) {
    throw new DaybookError(
      'too-large',
      `The bundle has more than ${maxBundleLength} characters: send it in pieces with \`bundle:import\`.`,
      { details: { path: 'bundle', limitCharacters: maxBundleLength } },
    )
  }
  let cursor: string | undefined
  for (let start = 0, step = 0; ; start += pieceLength, step++) {
    const more = start + pieceLength < bundle.length
    const piece = { text: bundle.slice(start, start + pieceLength), more, size: bundle.length }
    const answer = (await call(
      'bundle:import',
      cursor === undefined ? { ...options, ...piece } : { ...piece, cursor },
      step,
    )) as { readonly cursor?: string; readonly result?: Fields }
    if (!more) return answer.result ?? {}
    cursor = answer.cursor
  }
}
