// The store of a book: opens and migrates the database, and composes its parts.
import { utcZone, type Zone } from '../core/zone.ts'
import { citedIds, type Kinds } from '../core/kind.ts'
import { isDaybookError } from '../core/errors.ts'
import { createStampClock, type StampClock } from '../core/stamp.ts'
import { toHex } from '../core/ids.ts'
import type { Ports, CheckpointFile, SqlDatabase, Truth } from '../core/ports.ts'
import { formatTime } from '../core/time.ts'
import { noSealer, type Sealer } from '../core/sealed.ts'
import { AccessLog } from './access-log.ts'
import { ActivityLog } from './activity/activity-log.ts'
import { Bodies } from './record/bodies.ts'
import { type Checkpoint, startCheckpoint } from './repair/checkpoint.ts'
import { ConflictLog } from './record/conflict-log.ts'
import { prepareDerived } from './schema/derived.ts'
import { DeviceLog } from './record/device-log.ts'
import { createModelStore, type ModelStore } from './vector/model-store.ts'
import { findNewer, migrate, type NewerBook, openReadOnly } from './schema/version.ts'
import { OpLog } from './record/op-log.ts'
import { PlaceSums } from './record/place-sum.ts'
import { createOpenMark, isMarkedDamaged, type OpenMark } from './repair/open-mark.ts'
import type { PoolWriter } from '../core/pool.ts'
import type { RecordRow } from './schema/record-row.ts'
import { createPoolTables } from './pool/pool-tables.ts'
import { maxLevels, readLevelCount } from './posting/fts-index.ts'
import { PostingArchive } from './posting/posting-archive.ts'
import { Projection } from './record/projection.ts'
import { Purge } from './purge.ts'
import { createKindRows, type KindRows } from './query/kind-rows.ts'
import { createQueryStore, type ComposableQueryStore } from './query/query-store.ts'
import type { Role } from './record/mirror-places.ts'
import { RecordStore } from './record/record-store.ts'
import { createRequestLog, type RequestLog } from './record/request-log.ts'
import { Resealing } from './record/reseal.ts'
import { OpenedRecords } from './sealed/opened-records.ts'
import { type BookQueries, createJointQueries } from './sealed/joint-query.ts'
import { sealedGroups } from './sealed/sealed-list.ts'
import { Sources } from './record/sources.ts'
import { cacheSettings, type Settings } from './schema/settings.ts'
import { createSchedules, ScheduledTaskQueue, type Schedules } from './schedules.ts'
import { type GuestQuotas, GuestUsage } from './guest-usage.ts'
import { createReachIndexes } from './query/reach-index.ts'
import { TextIndex, type TextIndexBudget } from './posting/text-index.ts'
import { VectorStore } from './vector/vector-store.ts'
import { clearStaging, createStaging, type StagingStore } from './record/staging.ts'
import { createClearTextSealer } from './record/cover-text.ts'
import { eraseMarkAnswers } from './record/erase-rows.ts'
import { WriteQueue } from './write-queue.ts'

/** Limit of vectors in memory at a mirror, in bytes: a Durable Object has 128 MB in all. */
const mirrorVectorBytes = 32_000_000

export interface BookStore {
  readonly db: SqlDatabase
  /** Set when a newer Daybook wrote the book: then nothing is committed, and a write must throw its `error`. */
  readonly newer: NewerBook | undefined
  readonly kinds: Kinds
  /** A device logs its changes for its mirror; the mirror decides about them. */
  readonly role: Role
  /** The name of this copy at the mirror: random, and stored in the database. */
  readonly device: string
  /** Gives this copy a new random name. Call it inside a transaction, when another copy has the same name. */
  renameDevice(): void
  /** Tells whether the previous engine closed the book. */
  readonly openMark: OpenMark
  /** Makes the stamps of changes: time, counter and device as text. Sorted stamps are in causal order. */
  readonly stamps: StampClock
  /** Small texts of the book by key, such as cursors. */
  readonly settings: Settings
  /** Makes, changes and forgets records. */
  readonly records: RecordStore
  /** Links records to the records that they were made from. */
  readonly sources: Sources
  /** Seals texts again after the encryption key has changed. */
  readonly resealing: Resealing
  /** Seals and decrypts bodies. */
  readonly bodies: Bodies
  /** Decrypted sealed records, in a database in memory. Absent without the option `openMemory`. */
  readonly openedRecords: OpenedRecords | undefined
  /** The outbox: on a device, the changes that the mirror has not acknowledged. */
  readonly ops: OpLog
  /** Sums by which a device and the mirror compare their copies. */
  readonly sums: PlaceSums
  /** Derives hot columns, links and full text from the records. */
  readonly projection: Projection
  readonly queries: BookQueries
  /** The policies of the book, which decide about records that guests may read. */
  readonly policyRows: KindRows
  /** The standing rules of the user. */
  readonly ruleRows: KindRows
  /** The text index in memory. Absent without the option `textIndex`, and in a newer book. */
  readonly textIndex: TextIndex | undefined
  /** Reads and stores nothing before its `setSpace` sets a vector space. */
  readonly vectors: VectorStore
  /** The embedding model that the book computes from its own texts. */
  readonly models: ModelStore
  /** The edits that lost a conflict of a sync. */
  readonly conflicts: ConflictLog
  /** Removes the rest of forgotten records. */
  readonly purge: Purge
  /** A copy of the records in a second file. Absent without the option `checkpointFile`, and in a newer book. */
  readonly checkpoint: Checkpoint | undefined
  /** Answers to calls with a `requestId`, so that a repeated call has its effect once. */
  readonly requests: RequestLog
  /** How much guests store, and their limits. */
  readonly guests: GuestUsage
  /** The log of calls. Absent in a newer book, and when the option `isAudited` is false. */
  readonly access: AccessLog | undefined
  /** The log of recalls and contexts. Absent in a newer book, and at a mirror. */
  readonly activity: ActivityLog | undefined
  /** At the mirror: the last op of each device, and the answers to it. */
  readonly devices: DeviceLog
  /** Commits waiting writes together. */
  readonly writes: WriteQueue
  /** Uploads that are not complete yet. */
  readonly staging: StagingStore
  readonly tasks: ScheduledTaskQueue
  /** Recurring tasks. Each round of one is a task in `tasks`. */
  readonly schedules: Schedules
  /** The tables of the knowledge pool at this copy. */
  readonly pool: PoolWriter
}

/** How long answers to calls with a `requestId` are stored. */
const requestRetentionMs = 7 * 86_400_000

export interface BookStoreOptions {
  readonly kinds: Kinds
  readonly role: Role
  readonly ports: Ports
  /** The time zone of dates without a time. Default UTC. */
  readonly zone?: Zone | undefined
  /** Runs after each committed group of writes. */
  readonly onCommit: () => void
  /** Opens a text index in memory; an object sets its limits. Default false. */
  readonly textIndex?: boolean | TextIndexBudget
  /** How many records and bytes guests may store. Default: 100,000 and 64 MiB each, 400,000 and 256 MiB together. */
  readonly quotas?: GuestQuotas | undefined
  /** At a mirror: commits the transactions in place of `db`. */
  readonly truth?: Truth | undefined
  /** True when a book existed here before: a new, empty database then notes the loss in the setting `evicted`. */
  readonly existedBefore?: boolean | undefined
  /**
   * The file for a copy of the records, see repair/checkpoint.ts. `isWanted` false: an existing copy is removed. Default:
   * no copy.
   */
  readonly checkpointFile?: { readonly file: CheckpointFile; readonly isWanted: boolean } | undefined
  /** Logs calls. Default true. */
  readonly isAudited?: boolean | undefined
  /** Stores a mark in the book until it is closed, so the next engine notices an unclean end. Default false. */
  readonly writesOpenMark?: boolean
  /** Encrypts and decrypts sensitive records. Default: `noSealer`, which has no keys. */
  readonly sealer?: Sealer | undefined
  /** Opens an empty database in memory, for decrypted records. */
  readonly openMemory?: (() => SqlDatabase) | undefined
}

/** Forgets a record that can't exist without its sources. */
function forgetWithoutSources(
  { records, stamps }: Pick<BookStore, 'records' | 'stamps'>,
  { kind, id, agent }: RecordRow,
  at: string,
): void {
  records.forget({ op: 'forget', kind, id, at, stamp: stamps.next(), agent })
}

const isForgottenOrSealed = (row: RecordRow | undefined) =>
  row !== undefined && (row.deleted === 1 || row.kid !== null)

/**
 * Removes the content of `before`, a row whose record is now forgotten, sealed or outdated, from the activity log,
 * from stored answers about marks, and from the pool.
 */
function eraseElsewhere(
  {
    db,
    kinds,
    records,
    bodies,
    pool,
    activity,
  }: Pick<BookStore, 'db' | 'kinds' | 'records' | 'bodies' | 'pool' | 'activity'>,
  before: RecordRow,
): void {
  activity?.eraseRecord(before)
  const { kind, id, body } = before
  const markedField = kinds.get(kind)?.marks
  const markBody = markedField === undefined ? undefined : bodies.read(before, body)
  for (const target of markedField !== undefined && markBody ? citedIds(markBody, markedField) : [])
    eraseMarkAnswers(db, target)
  if (!kind.startsWith('pool_') || !isForgottenOrSealed(records.row(id))) return
  // When the proposal is forgotten or sealed too, its own change removes its ballots, decision and fact.
  const proposalId = kind === 'pool_proposal' ? undefined : bodies.read(before, body)?.['proposal']
  if (typeof proposalId !== 'string' || !isForgottenOrSealed(records.row(proposalId)))
    pool.dropRecordWords(kind, id)
}

export function openBookStore(file: SqlDatabase, options: BookStoreOptions): BookStore {
  const { kinds, role, ports, openMemory, zone = utcZone } = options
  const opened = openTables(file, options)
  const { db, settings, newer, bodies } = opened
  let sealedChangeCount = 0
  const requests = createRequestLog(db, bodies, () => sealedChangeCount)
  const openMark = createOpenMark(db, settings)
  const renameDevice = () => settings.set('device', `d_${toHex(ports.random.bytes(16))}`)
  if (!newer) cleanUpTables(opened, options, { requests, openMark, renameDevice })
  const logs = openLogs(opened, options)
  const { projection, textIndex, archive } = openIndex(opened, options)
  const checkpointFile = newer ? undefined : options.checkpointFile
  const checkpoint = checkpointFile && startCheckpoint({ db, ...checkpointFile, settings, ...ports })
  const pool = createPoolTables(db)
  const stamps = createStampClock(ports.clock, settings.get('device') ?? '', lastStamp(db))
  const ops = new OpLog(db, settings)
  const sums = new PlaceSums(db, settings)
  const { records, sources } = openRecords(opened, options, {
    projection,
    ops,
    sums,
    stamps,
    checkpoint,
    pool,
    activity: logs.activity,
    // Runs only in a later write, when `openedRecords` below is set.
    onLinked: ({ kid, seq }) => (kid === null ? undefined : openedRecords?.sealedChanged(seq)),
  })
  // The request log seals the answer of a call that changed sealed records.
  records.watchSealed({
    sealedChanged: () => (sealedChangeCount += 1),
    mirrorVersionChanged() {},
    mirrorVersionsCleared() {},
  })
  const main = openQueries(opened, options, { projection, textIndex })
  const openedRecords =
    openMemory && new OpenedRecords({ db, kinds, bodies, clock: ports.clock, zone, openMemory, main })
  if (openedRecords) records.watchSealed(openedRecords)
  const onSealed = (seq: number) => {
    openedRecords?.sealedChanged(seq)
    checkpoint?.markChanged(seq, false)
  }
  const schedules = createSchedules(db)
  return {
    db,
    newer,
    kinds,
    role,
    guests: new GuestUsage(db, options.quotas),
    get device() {
      return settings.get('device') ?? ''
    },
    renameDevice,
    openMark,
    stamps,
    settings,
    records,
    sources,
    checkpoint,
    resealing: new Resealing({ db, bodies, log: ops, settings, onSealed }),
    bodies,
    openedRecords,
    sums,
    ops,
    projection,
    queries: joinQueries(opened, options, { main, openedRecords, projection }),
    policyRows: createKindRows(db, 'policy'),
    ruleRows: createKindRows(db, 'rule'),
    textIndex,
    ...openVectors(opened, options, projection),
    conflicts: new ConflictLog(db, bodies, sources),
    purge: new Purge({ db, projection, archive, settings, checkpoint, sources }),
    requests,
    ...logs,
    devices: new DeviceLog(db),
    tasks: new ScheduledTaskQueue(db, schedules),
    schedules,
    pool,
    writes: openWrites(db, options, { checkpoint, ...logs }),
    staging: createStaging(db, settings, bodies),
  }
}

interface OpenedTables {
  readonly db: SqlDatabase
  readonly settings: Settings
  readonly newer: NewerBook | undefined
  /** False only for a newer book on a host that can't write derived rows: see `ReadOnlyDatabase`. */
  readonly canWriteDerivedRows: boolean
  readonly bodies: Bodies
}

/** Migrates the book and prepares its derived tables. */
function openTables(
  file: SqlDatabase,
  { kinds, ports, sealer, zone = utcZone }: BookStoreOptions,
): OpenedTables {
  const newer = findNewer(file)
  const { db: tables, canWriteDerivedRows } = newer
    ? openReadOnly(file, newer)
    : { db: file, canWriteDerivedRows: true }
  if (!newer) migrate(tables, formatTime(ports.clock.now()))
  const { db, settings } = cacheSettings(tables)
  /** True after unreadable rows, or with an index that is too deep: a rebuild of derived tables costs only time. */
  const needsRebuild = () => isMarkedDamaged(db) || readLevelCount(db) > maxLevels
  if (canWriteDerivedRows) prepareDerived(db, { kinds, zone, needsRebuild }, settings)
  return { db, settings, newer, canWriteDerivedRows, bodies: new Bodies(kinds, sealer ?? noSealer) }
}

/**
 * Deletes what earlier engines left, and names a new copy. On a full disk an existing book opens without these
 * writes.
 */
function cleanUpTables(
  { db, settings }: OpenedTables,
  { ports, writesOpenMark, existedBefore }: BookStoreOptions,
  { requests, openMark, renameDevice }: Pick<BookStore, 'requests' | 'openMark' | 'renameDevice'>,
): void {
  const now = ports.clock.now()
  try {
    db.transaction(() => {
      requests.prune(formatTime(now - requestRetentionMs))
      clearStaging(db, settings)
      if (writesOpenMark) openMark.markOpen(formatTime(now))
      if (settings.get('device') !== undefined) return
      // A mended book is a new file, but its records are not lost.
      if (existedBefore && settings.get('mended') === undefined) settings.set('evicted', formatTime(now))
      renameDevice()
    })
  } catch (error) {
    if (settings.get('device') === undefined || !isDaybookError(error, 'storage-full')) throw error
  }
}

function openLogs(
  { db, newer, bodies }: OpenedTables,
  { role, isAudited }: BookStoreOptions,
): Pick<BookStore, 'access' | 'activity'> {
  return {
    access: newer || isAudited === false ? undefined : new AccessLog(db),
    activity: newer || role === 'mirror' ? undefined : new ActivityLog(db, bodies),
  }
}

/**
 * Opens the archive even without a text index in memory: the archive must note each change of a record that it
 * stores.
 */
function openIndex(
  { db, settings, newer, canWriteDerivedRows }: OpenedTables,
  { kinds, ports, textIndex = false, zone = utcZone }: BookStoreOptions,
) {
  const projection = new Projection(db, kinds, settings, {
    zone,
    readOnlyError: canWriteDerivedRows ? undefined : newer?.error,
  })
  const textIndexOption = newer ? false : textIndex
  const budget = typeof textIndexOption === 'object' ? textIndexOption : undefined
  const archive = new PostingArchive(db, projection, settings, budget?.segments)
  const textIndexOptions = { db, kinds, projection, archive, clock: ports.clock, zone, budget }
  return {
    projection,
    archive,
    textIndex: textIndexOption === false ? undefined : new TextIndex(textIndexOptions),
  }
}

type RecordStoreOptions = Pick<
  BookStore,
  'projection' | 'ops' | 'sums' | 'stamps' | 'checkpoint' | 'pool' | 'activity'
> & { onLinked(row: RecordRow): void }

function openRecords(
  { db, settings, newer, bodies }: OpenedTables,
  { kinds, role }: BookStoreOptions,
  { projection, ops, sums, stamps, checkpoint, pool, activity, onLinked }: RecordStoreOptions,
): Pick<BookStore, 'records' | 'sources'> {
  const sources = new Sources({
    db,
    kinds,
    settings,
    bodies,
    onOutdated: (row) => records.markOutdated(row),
    onLinked,
    forget: (row, at) => forgetWithoutSources({ records, stamps }, row, at),
  })
  const records: RecordStore = new RecordStore({
    db,
    role,
    kinds,
    settings,
    log: ops,
    projection,
    sums,
    bodies,
    clearText: createClearTextSealer(db, role === 'mirror', settings, bodies),
    sources,
    onChange(seq, erasedRow) {
      checkpoint?.markChanged(seq, erasedRow !== undefined)
      if (erasedRow) eraseElsewhere({ db, kinds, records, bodies, pool, activity }, erasedRow)
    },
  })
  if (!newer) sources.prepare()
  return { records, sources }
}

function openQueries(
  { db }: OpenedTables,
  { kinds, role, ports, zone = utcZone }: BookStoreOptions,
  { projection, textIndex }: Pick<BookStore, 'projection' | 'textIndex'>,
): ComposableQueryStore {
  const reachIndexes = createReachIndexes({ db, kinds, projection, zone, bookIndex: textIndex, role })
  return createQueryStore({ db, kinds, projection, clock: ports.clock, zone, textIndex, reachIndexes })
}

function joinQueries(
  { db, bodies }: OpenedTables,
  { kinds, zone = utcZone }: BookStoreOptions,
  parts: Pick<BookStore, 'openedRecords' | 'projection'> & { readonly main: ComposableQueryStore },
): BookQueries {
  const { main, openedRecords, projection } = parts
  return createJointQueries({
    db,
    kinds,
    bodies,
    zone,
    main,
    openedStore: (isWithin = projection.isInTransaction()) => openedRecords?.queries(isWithin),
    isDecrypted: (seq) => openedRecords?.isDecrypted(seq) === true,
    listUnreadGroups: () => openedRecords?.unread(projection.isInTransaction()) ?? sealedGroups(db),
  })
}

function openVectors(
  { db, settings }: OpenedTables,
  { kinds, role, ports }: BookStoreOptions,
  projection: Projection,
): Pick<BookStore, 'models' | 'vectors'> {
  const maxBytes = role === 'mirror' ? mirrorVectorBytes : undefined
  return {
    models: createModelStore(db, kinds, projection, settings),
    vectors: new VectorStore({ db, kinds, projection, settings, wasm: ports.wasm, maxBytes }),
  }
}

function openWrites(
  db: SqlDatabase,
  { ports, onCommit, truth }: BookStoreOptions,
  { checkpoint, access, activity }: Pick<BookStore, 'checkpoint' | 'access' | 'activity'>,
): WriteQueue {
  const committed = () => {
    checkpoint?.afterCommit()
    onCommit()
  }
  const hooks = [access, activity].filter((log) => log !== undefined)
  return new WriteQueue(db, ports.scheduler, committed, { truth, hooks })
}

/**
 * The latest stamp of the 1000 newest records, empty without records: an estimate, because a scan of all records would
 * be slow, and stamps only break ties.
 */
function lastStamp(db: SqlDatabase): string {
  const sql = 'SELECT max(stamp) AS stamp FROM records WHERE seq > (SELECT max(seq) - 1000 FROM records)'
  return db.get<{ stamp: string | null }>(sql)?.stamp ?? ''
}
