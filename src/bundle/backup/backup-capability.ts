// The verbs of backups: make one, list them, restore one, and rebuild a part. `transfer`: the port of hashes,
// and of bundles that are imported. The options of a verb (`effect`, `forAgents`, `repeatable`, `secrets` …):
// core/capability/capability.ts.
// Invariant: a backup is stored only after it was read back and compared with its records; it is restored
// only after every part is verified; a rebuilt part has no forgotten record.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import { defined } from '../../core/defined.ts'
import { isDaybookError, notFound } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf, type RecordHead } from '../../core/record.ts'
import { nameId } from '../../core/text/name-id.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import { dayMs } from '../../core/zone.ts'
import { recordId, scopeName } from '../../shape/field.ts'
import { beginImport } from '../bundle-capability.ts'
import type { MergeReport } from '../format/bundle-merge.ts'
import type { BackupBody } from './backup-kind.ts'
import {
  backupLimits,
  partsChecksum,
  backupFailed,
  backupPartId,
  readParts,
  writeParts,
  rebuildPart,
} from './backup-part.ts'
import { backupPersona, type BackupPorts, personaRecords } from './backup-persona.ts'

type Backup = RecordHead & BackupBody

const countFields = ['imported', 'updated', 'unchanged', 'forgotten', 'conflictCount'] as const

const backupSummary = z.object({
  id: z.string(),
  name: z.string(),
  madeAt: z.string(),
  checksum: z.string(),
  records: z.number(),
  characters: z.number(),
})

const toSummary = ({ id, name, madeAt, checksum, records, characters }: Backup) => ({
  id,
  name,
  madeAt,
  checksum,
  records,
  characters,
})

/** The backups of these agents, newest first. */
function listBackups({ records }: Pick<BackupPorts, 'records'>, agents: readonly string[]): Backup[] {
  const page = records.query({
    kind: 'backup',
    filters: { agent: { in: [...agents] } },
    orderBy: ['-madeAt', '-id'],
    limit: 1000,
  })
  return page.records as unknown as Backup[]
}

/** Age at which parts without a backup are removed: until then, it may be unfinished, or on its way from a device. */
const orphanAgeMs = 7 * dayMs

/**
 * Removes all but `made`, the backup just made, and the newest others, `maxBackups` together; also their parts, and old
 * parts without a backup. Returns the number of removed backups.
 */
async function prune(at: BackupPorts, agents: readonly string[], made: string): Promise<number> {
  const backups = listBackups(at, agents)
  const lacksRecordIds = (id: string) => {
    const part = at.records.get(backupPartId(id, 0))
    return part?.kind === 'backup_part' && part['records'] === undefined
  }
  // A backup of an earlier Daybook does not list its records, so it can't forget one: a new backup replaces it.
  const complete = backups.filter(({ id }) => id !== made && !lacksRecordIds(id))
  // A device with a clock that is ahead makes backups that seem newer than all others: half of the places are not theirs.
  const notAhead = complete
    .filter(({ madeAt }) => madeAt <= at.call.now)
    .slice(0, backupLimits.maxBackups / 2)
  const candidates = [made, ...notAhead.map(({ id }) => id), ...complete.map(({ id }) => id)]
  const retained = [...new Set(candidates)].slice(0, backupLimits.maxBackups)
  const removed = backups.filter(({ id }) => !retained.includes(id))
  const { records: orphanParts } = at.records.query({
    kind: 'backup_part',
    filters: { agent: { in: [...agents] }, not: { backup: { in: retained } } },
    limit: 1000,
  })
  const oldest = formatTime((parseTime(at.call.now) ?? 0) - orphanAgeMs)
  await at.records.write(({ records }) => {
    for (const { id } of removed) records.purge(id)
    for (const { id, backup, created_at } of orphanParts)
      if (created_at < oldest || records.wasForgotten(String(backup))) records.purge(id)
  })
  return removed.length
}

const maxDifferences = 1000
const difference = z.object({
  id: z.string(),
  kind: z.string(),
  change: z.enum(['missing', 'changed', 'forgotten']),
  isRestored: z.boolean(),
})
type Difference = z.output<typeof difference>

/** The records of a part that the book has otherwise. */
function differencesOf({ added, conflicts }: Pick<MergeReport, 'added' | 'conflicts'>): Difference[] {
  return [
    ...added.map((one) => ({ ...one, change: 'missing' as const, isRestored: true })),
    ...conflicts.map(({ id, kind, winner, forgotten }) => {
      const change = forgotten ? ('forgotten' as const) : ('changed' as const)
      return { id, kind, change, isRestored: winner === 'bundle' }
    }),
  ]
}

export const backupCapabilities = [
  defineCapability({
    id: 'katra:backup',
    forAgents: true,
    methods: ['backups.make'],
    summary:
      'Backs up all records of a persona, and verifies the backup by reading it back. Keeps the newest 30.',
    input: z.strictObject({ persona: scopeName.optional() }).prefault({}),
    output: z.object({ ...backupSummary.shape, removed: z.number() }),
    effect: 'task',
    uses: ['records', 'transfer'],
    async run({ persona }, at) {
      const owner = backupPersona(at, persona)
      const personaContent = personaRecords(at, owner)
      const [agent] = owner.agents
      const written = await writeParts(at, personaContent, { agent, exported_at: at.call.now })
      const texts = written.map(({ text }) => text)
      const checksum = partsChecksum(at, texts)
      const scope = {
        agent,
        ...defined({ sensitivity: personaContent.sensitivity }),
      }
      // Two backups of the same millisecond differ by their content.
      const key = `${at.call.now}-${checksum.slice(-8)}`
      const id = nameId('backup', agent, key)
      for (const [number, part] of written.entries()) {
        // A copy without undefined members.
        const body = JSON.parse(JSON.stringify({ backup: id, number, ...part })) as JsonObject
        await at.records.write(({ records }) =>
          records.put({ kind: 'backup_part', id: backupPartId(id, number), body, scope }),
        )
      }
      const body = {
        name: owner.name,
        agents: [...owner.agents],
        madeAt: at.call.now,
        checksum,
        records: [...personaContent.byKind.values()].flat().length,
        characters: texts.reduce((sum, { length }) => sum + length, 0),
        parts: written.length,
      }
      await at.records.write(({ records }) => records.put({ kind: 'backup', id, body, scope }))
      const removed = await prune(at, owner.agents, id)
      return { ...toSummary({ ...body, id } as unknown as Backup), removed }
    },
  }),
  defineCapability({
    id: 'katra:list_backups',
    methods: ['backups.list'],
    summary: 'Lists the backups of a persona, newest first.',
    input: z.strictObject({ persona: scopeName.optional() }).prefault({}),
    output: z.object({ backups: z.array(backupSummary) }),
    effect: 'read',
    uses: ['records'],
    run({ persona }, at) {
      // The casts are safe: both functions only read records.
      const { agents } = backupPersona(at as unknown as BackupPorts, persona)
      return { backups: listBackups(at as unknown as BackupPorts, agents).map(toSummary) }
    },
  }),
  defineCapability({
    id: 'katra:restore_backup',
    forAgents: true,
    methods: ['backups.restore'],
    summary:
      'Restores the records of a backup. Records written since stay, and forgotten records stay forgotten.',
    input: z.strictObject({ id: recordId, dryRun: z.boolean().default(false) }),
    output: z.object({
      id: z.string(),
      dryRun: z.boolean(),
      records: z.number(),
      imported: z.number(),
      updated: z.number(),
      unchanged: z.number(),
      forgotten: z.number(),
      conflictCount: z.number(),
      /**
       * The first thousand records that the book has otherwise than the backup. `missing` ones are restored. `changed`
       * ones stay as they are unless `isRestored`; the conflict log has the other side. `forgotten` ones stay forgotten.
       */
      differences: z.array(difference),
    }),
    effect: 'task',
    uses: ['records', 'transfer'],
    async run({ id, dryRun }, at) {
      const backupRecord = at.records.get(id)
      if (backupRecord?.kind !== 'backup') throw notFound('backup', id)
      const backup = bodyOf(backupRecord) as unknown as BackupBody
      const differences: Difference[] = []
      const counts = { imported: 0, updated: 0, unchanged: 0, forgotten: 0, conflictCount: 0 }
      // Verify every part before the first one is restored.
      const texts = await readParts(at, id, backup)
      for (const text of texts) {
        const upload = beginImport(
          { text, more: false, mode: 'merge', dryRun, includeTokens: false, allowIncomplete: false },
          at,
        )
        try {
          await upload.intake.push(text, at.call.signal)
          const summary = await upload.intake.end(at.call.signal)
          const result = await upload.finish(summary, at)
          for (const field of countFields) counts[field] += result[field]
          differences.push(...differencesOf(result).slice(0, maxDifferences - differences.length))
        } catch (error) {
          if (isDaybookError(error, 'invalid-file') || isDaybookError(error, 'invalid-input'))
            throw backupFailed(error.message, { id })
          throw error
        } finally {
          upload.discard()
        }
      }
      return { id, dryRun, records: backup.records, ...counts, differences }
    },
  }),
  defineCapability({
    id: 'katra:rebuild_backup',
    forAgents: true,
    methods: ['backups.rebuild'],
    summary:
      'Rewrites a part of a backup without records that were forgotten or purged since. Runs by itself.',
    input: z.strictObject({ id: recordId }),
    output: z.object({
      id: z.string(),
      /** `absent`: the part or its backup no longer exists. */
      result: z.enum(['rebuilt', 'absent']),
    }),
    effect: 'task',
    repeatable: true,
    uses: ['records', 'transfer'],
    async run({ id }, at) {
      const part = await rebuildPart(at, id)
      await at.records.write(({ records }) => {
        const storedPart = records.get(id)
        if (storedPart?.kind !== 'backup_part') return
        // `exact`: no field of the earlier part stays.
        if (part) records.put({ kind: 'backup_part', id, body: part as unknown as JsonObject, exact: true })
        else records.purge(id)
      })
      return { id, result: part ? ('rebuilt' as const) : ('absent' as const) }
    },
  }),
] as const
