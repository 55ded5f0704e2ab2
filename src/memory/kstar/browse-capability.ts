// Verbs to browse records of any kind: search, count, citations, history. The inspector uses them.
// Invariant: the mirror returns sealed versions without opening them; the device that has the keys opens them.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import type { RecordVersion } from '../../core/record.ts'
import { jsonObject, recordId, sealed, sealedField } from '../../shape/field.ts'
import { name } from './record-schema.ts'
import type { ReadContext } from '../../core/capability/context.ts'
import { DaybookError, notFound } from '../../core/errors.ts'
import { parseWith } from '../../core/schema.ts'
import { type SealedBody, sealingAlgorithm } from '../../core/sealed.ts'
import {
  counts,
  filters,
  match,
  period,
  readVerb,
  recordSearch,
  searchPage,
  words,
} from '../../shape/record-verbs.ts'
import { limit } from '../../shape/page.ts'
import { anyRecord } from './record-capability.ts'
import { shapeOf } from '../../shape/shape-of.ts'

/**
 * An encrypted body. `kid`: id of the key. `v`: version of the kind. `n`: nonce. `ct`: ciphertext with its tag; both
 * base64. `head`: fields in clear that the tag authenticates.
 */
const sealedBody = shapeOf<SealedBody>()(
  z.object({
    alg: z.literal(sealingAlgorithm),
    kid: z.string(),
    v: z.number(),
    n: z.string(),
    ct: z.string(),
    head: z.object({ stamp: z.string() }).loose().optional(),
  }),
)

/** `version`: 1 for a new record, 1 more after each change in this copy. A forget has no `body`. */
const historyShape = z.object({
  versions: z.array(
    z.object({
      version: z.number(),
      at: z.string(),
      agent: z.string(),
      session: z.string().optional(),
      resource: z.string().optional(),
      op: z.enum(['put', 'forget']),
      body: jsonObject.optional(),
      /** Facts about the sealed body, instead of `body`, if its key is not here. */
      sealed: z.object({ alg: z.literal(sealingAlgorithm), kid: z.string(), bytes: z.number() }).optional(),
      /** With `withSealed`, beside `sealed`: the sealed body itself, and the kind that it is bound to. */
      opaque: z.object({ kind: z.string(), enc: sealedBody }).optional(),
    }),
  ),
})
type Version = z.output<typeof historyShape>['versions'][number]

function toVersion({ opaque, ...version }: RecordVersion, withSealed: boolean): Version {
  return { ...version, ...(withSealed && opaque ? { opaque } : {}) }
}

/** Opens a version of the mirror if the key is here; else returns it without the sealed body. */
function unsealVersion(id: string, version: Version, { records }: ReadContext<'records'>): Version {
  const { opaque, sealed, ...rest } = version
  const body = opaque && records.open({ kind: opaque.kind, id }, opaque.enc)
  if (body) return { ...rest, body }
  return { ...rest, ...(sealed ? { sealed } : {}) }
}

/** Calls `kstar:history` at the mirror. */
async function readMirrorHistory(id: string, at: ReadContext<'records' | 'mirror'>): Promise<Version[]> {
  // The call to the mirror uses the owner's key, so a guest may not make it.
  if (at.call.caller.role === 'guest') {
    throw new DaybookError('forbidden', 'Only the owner of the book may read the history at the mirror.', {
      details: { path: 'where' },
    })
  }
  if (!at.mirror.read) throw new DaybookError('sync-off')
  const answer = await at.mirror.read('kstar:history', { id, withSealed: true })
  return parseWith(historyShape, answer, 'protocol-error').versions.map((version) =>
    unsealVersion(id, version, at),
  )
}

export const historyCapabilities = [
  defineCapability({
    id: 'kstar:history',
    permission: 'read',
    methods: ['records.history', 'traces.history', 'perceptions.history', 'facts.history', 'skills.history'],
    summary:
      'Reads all versions of a record that this copy or the mirror has, oldest first, the current one last.',
    input: z.strictObject({
      id: recordId,
      /**
       * `here`: versions of this copy. `mirror`: versions that its mirror stores. Each numbers its versions
       * separately.
       */
      where: z.enum(['here', 'mirror']).default('here'),
      /**
       * True: includes sealed bodies that can't be read here, for a caller with the keys. Only with `here`: from the
       * mirror, this copy requests them itself and opens all that it can.
       */
      withSealed: z.boolean().default(false),
    }),
    output: historyShape,
    effect: 'read',
    uses: ['records', 'mirror'],
    async run({ id, where, withSealed }, at) {
      if (where === 'mirror') return { versions: await readMirrorHistory(id, at) }
      const versions = at.records.history(id)
      if (versions.length === 0) throw notFound('record', id)
      return { versions: versions.map((version) => toVersion(version, withSealed)) }
    },
  }),
] as const

export const browseCapabilities = [
  readVerb({
    id: 'kstar:search_memory',
    method: 'records.search',
    summary:
      'Finds records of one kind or of all by words, best match first, also expired and superseded ones.',
    input: recordSearch.extend({ kind: name.optional() }),
    output: searchPage(anyRecord),
    run({ query: text, ...query }, at) {
      const hits = at.records.search({ ...query, text })
      const { kind } = query
      return {
        records: hits.map(({ record }) => record),
        scores: hits.map(({ score }) => score),
        ...sealedField(at.records.unread(kind === undefined ? {} : { kinds: [kind] })),
      }
    },
  }),
  readVerb({
    id: 'kstar:count_memory',
    method: 'records.count',
    summary:
      'Counts records of a kind, or the results of a search: the total, and a count for each hour, day or month; with `none`, only the total.',
    input: z.strictObject({
      kind: name,
      /** Counts only the results of this search; `match` and `prefix` work as in a search. */
      query: words.optional(),
      match,
      prefix: z.boolean().default(false),
      filters,
      /** Length of the period of a count, by the time at which the record happened. */
      by: period,
      includeExpired: z.boolean().default(false),
      includeSuperseded: z.boolean().default(false),
    }),
    output: counts,
    run({ query: text, match, prefix, includeExpired: expired, includeSuperseded: superseded, ...rest }, at) {
      const search = text === undefined ? undefined : { text, match, prefix }
      return at.records.count({ ...rest, search, include: { expired, superseded } })
    },
  }),
  readVerb({
    id: 'kstar:citing',
    method: 'records.citing',
    summary: 'Reads the records that cite a record, and the field of each citation.',
    input: z.strictObject({ id: recordId, limit: limit() }),
    output: z.object({
      /** Number of all citations. `citations`: the first `limit`. `records`: their records, each once, if readable. */
      total: z.number(),
      citations: z.array(z.object({ id: z.string(), kind: z.string(), path: z.string() })),
      records: z.array(anyRecord),
      sealed,
    }),
    run({ id, limit }, at) {
      const allCitations = at.records.citing(id)
      const citations = allCitations.slice(0, limit)
      const ids = [...new Set(citations.map((citation) => citation.id))]
      return {
        total: allCitations.length,
        citations,
        records: ids.flatMap((citingId) => at.records.get(citingId) ?? []),
        ...sealedField(at.records.unread({})),
      }
    },
  }),
] as const
