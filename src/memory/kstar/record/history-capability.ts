// The verb of earlier versions: those that this copy has kept, or those of the book's mirror, which has seen what every
// device sent. Invariant: the mirror hands out sealed versions as they are, and they are opened where the keys are.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { ReadContext } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { RecordVersion } from '../../../core/record.ts'
import { parseWith } from '../../../core/schema.ts'
import { type SealedBody, sealingAlgorithm } from '../../../core/sealed.ts'
import { recordId } from '../../../shape/record-id.ts'
import { jsonObject } from '../record-schema.ts'

const sealedBody = z.object({
  alg: z.literal(sealingAlgorithm),
  kid: z.string(),
  v: z.number(),
  n: z.string(),
  ct: z.string(),
  head: z.object({ stamp: z.string() }).loose().optional(),
}) as unknown as z.ZodType<SealedBody>

const history = z.object({
  versions: z.array(
    z.object({
      version: z.number(),
      at: z.string(),
      agent: z.string(),
      op: z.enum(['put', 'forget']),
      body: jsonObject.optional(),
      /** In place of a body whose key is not here. */
      sealed: z.object({ alg: z.literal(sealingAlgorithm), kid: z.string(), bytes: z.number() }).optional(),
      /** Where that was asked for, the sealed body itself, and the kind that it is bound to. */
      opaque: z.object({ kind: z.string(), enc: sealedBody }).optional(),
    }),
  ),
})
type Version = z.output<typeof history>['versions'][number]

function shown({ opaque, ...version }: RecordVersion, withSealed: boolean): Version {
  return { ...version, ...(withSealed && opaque ? { opaque } : {}) } as Version
}

function opened(id: string, version: Version, { records }: ReadContext<'records'>): Version {
  const { opaque, sealed, ...rest } = version
  const body = opaque && records.open({ kind: opaque.kind, id }, opaque.enc)
  if (body) return { ...rest, body }
  return { ...rest, ...(sealed ? { sealed } : {}) }
}

async function ofMirror(id: string, at: ReadContext<'records' | 'mirror'>): Promise<Version[]> {
  // The mirror is asked with the key of the book's owner.
  if (at.call.caller.role === 'guest') {
    throw new DaybookError('forbidden', 'The history at the mirror is for the owner of the book.', {
      details: { path: 'where' },
    })
  }
  if (!at.mirror.read) throw new DaybookError('sync-off')
  const answer = await at.mirror.read('kstar:history', { id, with_sealed: true })
  return parseWith(history, answer, 'protocol-error').versions.map((one) => opened(id, one, at))
}

export const historyCapabilities = [
  defineCapability({
    id: 'kstar:history',
    permission: 'read',
    methods: ['records.history', 'traces.history', 'perceptions.history', 'facts.history', 'skills.history'],
    summary:
      'Reads all versions of a record that are kept here or at the mirror, oldest first, the current one last.',
    input: z.strictObject({
      id: recordId,
      /** Whose versions: those of this copy of the book, or those that its mirror keeps. Numbers are of the one or the other. */
      where: z.enum(['here', 'mirror']).default('here'),
      /** Also bodies that can't be read here, sealed, for whoever has their keys. */
      with_sealed: z.boolean().default(false),
    }),
    output: history,
    effect: 'read',
    uses: ['records', 'mirror'],
    async run({ id, where, with_sealed: withSealed }, at) {
      if (where === 'mirror') return { versions: await ofMirror(id, at) }
      const versions = at.records.history(id)
      if (versions.length === 0)
        throw new DaybookError('not-found', `There is no record \`${id}\`.`, { details: { path: 'id' } })
      return { versions: versions.map((version) => shown(version, withSealed)) }
    },
  }),
] as const
