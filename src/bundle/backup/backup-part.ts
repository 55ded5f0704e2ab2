// The parts of a backup. A part is a bundle of as many records as fit, or a piece of the bundle of one large record.
// `backup-persona.ts` finds the records.
// Invariant: each part is read back and compared with its records before it is stored; a rebuilt part has no
// forgotten record.
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import { sourceIds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf, type Stored } from '../../core/record.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'
import { nameId } from '../../core/text/name-id.ts'
import { BundleIntake } from '../format/bundle-intake.ts'
import { recordText } from '../format/bundle-shape.ts'
import { product } from '../format/product.ts'
import { writeBundle } from '../format/bundle-writer.ts'
import { type BackupBody, type BackupPartBody, maxPartLength } from './backup-kind.ts'
import { asSnapshot, type BackupPorts, type PersonaRecords } from './backup-persona.ts'

/**
 * Most backups of a persona; most characters of a backup, of a part, and of the records in a part: `maxRecordsLength`
 * leaves room for the bundle's other members.
 */
export const backupLimits = {
  maxBackups: 30,
  maxCharacters: 10_000_000,
  maxPartLength,
  maxRecordsLength: 180_000,
} as const

/** Agent and time of the backup, for the bundle of each part, also when the part is rebuilt. */
interface BackupPartHead {
  readonly agent: string
  readonly exported_at: string
}

export type BackupPart = Pick<BackupPartBody, 'records' | 'text' | 'piece'>

export const backupFailed = (message: string, details: Record<string, unknown> = {}) =>
  new DaybookError('backup-failed', message, { details })

export const backupPartId = (backup: string, number: number) => nameId('backup_part', backup, String(number))

/** The parts of a backup, each verified by reading it back. Throws `too-large` for a backup over the limit. */
export async function writeParts(
  at: BackupPorts,
  { byKind, kinds }: PersonaRecords,
  head: BackupPartHead,
): Promise<BackupPart[]> {
  const parts: BackupPart[] = []
  let batch: Stored<JsonObject>[] = []
  let batchLength = 0
  let totalLength = 0
  const flush = async () => {
    if (batch.length === 0) return
    const text = await bundleText(at, batch, head, kinds)
    await assertReadsBack(at, text, batch)
    totalLength += text.length
    if (totalLength > backupLimits.maxCharacters) {
      throw new DaybookError(
        'too-large',
        'The records of the persona are too large for a backup. Export the book instead.',
        { details: { limitCharacters: backupLimits.maxCharacters } },
      )
    }
    parts.push(
      ...splitText(
        text,
        batch.map(({ id }) => id),
      ),
    )
    batch = []
    batchLength = 0
  }
  for (const record of [...byKind.values()].flat()) {
    const { length } = recordText(record)
    if (batchLength + length > backupLimits.maxRecordsLength) await flush()
    batch.push(record)
    batchLength += length
  }
  await flush()
  return parts
}

/** Returns a text as one part, or cuts it into pieces if it is longer than a part; such a text has one record. */
function splitText(text: string, records: readonly string[]): BackupPart[] {
  const count = Math.ceil(text.length / backupLimits.maxPartLength)
  if (count === 1) return [{ records: [...records], text }]
  return Array.from({ length: count }, (_, index) => ({
    records: [...records],
    text: text.slice(index * backupLimits.maxPartLength, (index + 1) * backupLimits.maxPartLength),
    piece: { n: index, of: count },
  }))
}

/** A bundle of the records, as text. */
async function bundleText(
  at: BackupPorts,
  records: readonly Stored<JsonObject>[],
  { agent, exported_at }: BackupPartHead,
  kinds: PersonaRecords['kinds'],
): Promise<string> {
  const byKind = Map.groupBy(records, ({ kind }) => kind)
  let text = ''
  const pieces = writeBundle({
    head: { exported_at, agent: { id: agent, ...product } },
    kinds: kinds.filter(({ name }) => byKind.has(name)),
    snapshot: asSnapshot({ kinds, byKind, sensitivity: undefined }),
    digest: at.transfer.digest.start(),
    createIntegrity: (checksum) => Promise.resolve({ checksum }),
    onProgress: (done) => at.call.progress({ done, total: done, subject: 'backup' }),
  })
  for await (const piece of pieces) text += piece
  return text
}

/** The checksum of the texts of all parts, as they were made. */
export function partsChecksum(at: BackupPorts, texts: readonly string[]): string {
  const digest = at.transfer.digest.start()
  for (const text of texts) digest.update(text)
  return `sha256:${digest.hex()}`
}

/** Parses the records of a part. Throws `backup-failed` for a part that can't be read. */
async function readRecords(at: BackupPorts, text: string): Promise<Stored<JsonObject>[]> {
  const records: Stored<JsonObject>[] = []
  const intake = new BundleIntake(
    {
      kinds: undefined,
      passphrase: undefined,
      signedBy: undefined,
      now: at.call.now,
      onRecords(staged) {
        for (const { kind, text: record } of staged)
          records.push({ ...(JSON.parse(record) as Stored<JsonObject>), kind })
        return Promise.resolve()
      },
    },
    at.records.kinds,
    at.transfer,
  )
  try {
    await intake.push(text, at.call.signal)
    await intake.end(at.call.signal)
  } catch (error) {
    if (isDaybookError(error, 'aborted')) throw error
    throw backupFailed(error instanceof Error ? error.message : 'The backup can’t be read.')
  }
  return records
}

async function assertReadsBack(
  at: BackupPorts,
  text: string,
  records: readonly Stored<JsonObject>[],
): Promise<void> {
  const textById = new Map((await readRecords(at, text)).map((record) => [record.id, recordText(record)]))
  const different = records.find((record) => !containsRecord(recordText(record), textById.get(record.id)))
  if (different ?? textById.size !== records.length)
    throw backupFailed('The backup differs from the book. Make it again.', { id: different?.id })
}

/** True if the bundle's record has every field of the book's; it may add defaults. */
function containsRecord(originalText: string, copyText: string | undefined): boolean {
  if (copyText === undefined) return false
  const copy = JSON.parse(copyText) as JsonObject
  return Object.entries(JSON.parse(originalText) as JsonObject).every(
    ([field, value]) => canonicalText(copy[field] ?? null) === canonicalText(value),
  )
}

function findPartBody({ records }: Pick<BackupPorts, 'records'>, id: string): BackupPartBody | undefined {
  const part = records.get(id)
  return part?.kind === 'backup_part' ? (bodyOf(part) as unknown as BackupPartBody) : undefined
}

/** The verified bundles of a backup, without forgotten records. Throws `backup-failed` for a missing or damaged part. */
export async function readParts(at: BackupPorts, id: string, backup: BackupBody): Promise<string[]> {
  const texts: string[] = []
  let pendingPieces = ''
  for (let number = 0; number < backup.parts; number += 1) {
    const part = findPartBody(at, backupPartId(id, number))
    if (!part)
      throw backupFailed('A part of the backup is missing. Restore another backup.', { id, part: number })
    if (!part.records)
      throw backupFailed(
        'An earlier Daybook made this backup, and it may contain forgotten records. Make a new one.',
        {
          id,
        },
      )
    const { text, piece } = await withoutForgotten(at, part, partHead(backup))
    // Join the pieces of a large record's bundle; the last piece completes it.
    if (piece && text !== '' && piece.n + 1 < piece.of) pendingPieces += text
    else if (text !== '') {
      texts.push(pendingPieces + text)
      pendingPieces = ''
    }
  }
  for (const text of texts) await readRecords(at, text)
  return texts
}

const partHead = ({ agents: [agent = ''], madeAt }: BackupBody): BackupPartHead => ({
  agent,
  exported_at: madeAt,
})

/** The part without forgotten records; undefined if the part must go. */
export async function rebuildPart(at: BackupPorts, id: string): Promise<BackupPartBody | undefined> {
  const part = findPartBody(at, id)
  const backup = part && at.records.get(part.backup)
  // Without `records`, the part is of an earlier Daybook; `undefined` removes it too.
  if (!part?.records || backup?.kind !== 'backup') return undefined
  return { ...part, ...(await withoutForgotten(at, part, partHead(bodyOf(backup) as unknown as BackupBody))) }
}

/**
 * A part without forgotten records, and without records made from them. A piece of a forgotten record becomes
 * empty.
 */
async function withoutForgotten(
  at: BackupPorts,
  part: BackupPartBody,
  head: BackupPartHead,
): Promise<BackupPart> {
  const { records: ids = [], text, piece } = part
  // A piece is no whole bundle, so it can't be parsed; `records` names its record.
  const partRecords = piece || text === '' ? [] : await readRecords(at, text)
  const { kinds } = at.records
  const sourcesOf = (record: Stored<JsonObject>) => {
    const kind = kinds.get(record.kind)
    return kind ? sourceIds(kind, bodyOf(record), record.id) : []
  }
  const candidates = new Set([...ids, ...partRecords.flatMap(sourcesOf)])
  // In a write, because only a writer has `wasForgotten`. It changes nothing.
  const forgotten = new Set(
    await at.records.write(
      ({ records }) => [...candidates].filter((id) => records.wasForgotten(id)),
      'every-run',
    ),
  )
  if (forgotten.size === 0) return part
  if (piece) return ids.some((id) => forgotten.has(id)) ? { ...part, records: [], text: '' } : part
  let remaining = partRecords.filter(({ id }) => !forgotten.has(id))
  for (let previousCount = -1; previousCount !== remaining.length;) {
    previousCount = remaining.length
    // A record made from a forgotten one goes too, and then those made from it.
    const derived = remaining.filter((record) => sourcesOf(record).some((id) => forgotten.has(id)))
    for (const { id } of derived) forgotten.add(id)
    remaining = remaining.filter(({ id }) => !forgotten.has(id))
  }
  if (remaining.length === 0) return { records: [], text: '' }
  const allKinds = [...kinds.values()]
  return { records: remaining.map(({ id }) => id), text: await bundleText(at, remaining, head, allKinds) }
}
