// A book's store: opens and migrates the database, and puts its parts together.
import { utcZone, type Zone } from '../core/calendar/zone.ts'
import { citedIds, type Kinds } from '../core/kind.ts'
import { isDaybookError } from '../core/errors.ts'
import { createStampClock, type StampClock } from '../core/stamp.ts'
import { toHex } from '../core/ids.ts'
import type { Ports, CheckpointFile, SqlDatabase, Truth } from '../core/ports.ts'
import { formatTime } from '../core/time.ts'
import { noSealer, type Sealer } from '../core/sealed.ts'
import { type AccessLog, createAccessLog } from './access-log.ts'
import { ActivityLog } from './activity/activity-log.ts'
import { type Bodies, createBodies } from './record/bodies.ts'
import { type Checkpoint, createCheckpoint } from './repair/checkpoint.ts'
import { type ConflictLog, createConflictLog } from './record/conflict-log.ts'
import { prepareDerived } from './schema/derived.ts'
import { createDeviceLog, type DeviceLog } from './record/device-log.ts'
import { migrate } from './schema/migrate.ts'
import { createModelStore, type ModelStore } from './vector/model-store.ts'
import { findNewer, type NewerBook, readOnly } from './schema/newer-book.ts'
import { createOpLog, type OpLog } from './record/op-log.ts'
import { createPlaceSums, type PlaceSums } from './record/place-sum.ts'
import { createOpenMark, isBlamed, type OpenMark } from './repair/open-mark.ts'
import type { PoolWriter } from '../core/pool/pool-port.ts'
import type { RecordRow } from './schema/record-row.ts'
import { createPoolTables } from './pool/pool-tables.ts'
import { mostLevels, readLevels } from './posting/index-totals.ts'
import { createPostingArchive } from './posting/posting-archive.ts'
import { createProjection, type Projection } from './record/projection.ts'
import { createPurge, type Purge } from './purge.ts'
import { createPolicyRows, type PolicyRows } from './query/policy-rows.ts'
import { createQueryStore } from './query/query-store.ts'
import type { Role } from './record/mirror-places.ts'
import { createRecordStore, type RecordStore } from './record/record-store.ts'
import { createRequestLog, type RequestLog } from './record/request-log.ts'
import { createResealing, type Resealing } from './record/reseal.ts'
import { createOpenedRecords, type OpenedRecords } from './sealed/opened-records.ts'
import { type BookQueries, createJointQueries } from './sealed/joint-query.ts'
import { sealedGroups } from './sealed/unread.ts'
import { Sources } from './record/sources.ts'
import { rememberSettings, type Settings } from './schema/settings.ts'
import { createSchedules, type Schedules, withRounds } from './schedules.ts'
import { createTaskQueue, type TaskQueue } from './task-queue.ts'
import { type GuestQuotas, type GuestUsage, openGuestUsage } from './guest-usage.ts'
import { createReachIndexes } from './query/reach-index.ts'
import { createTextIndex, type TextIndex, type TextIndexBudget } from './posting/text-index.ts'
import { createVectorStore, type VectorStore } from './vector/vector-store.ts'
import { clearStaging, createStaging, type StagingStore } from './record/staging.ts'
import { createClearTextCover } from './record/cover-clear-text.ts'
import { eraseMarkAnswers } from './record/erase-rows.ts'
import { createWriteQueue, type WriteQueue } from './write-queue.ts'

/** An object at the edge has 128 MB in all. */
const mirrorVectorBytes = 32_000_000

export interface BookStore {
  readonly db: SqlDatabase
  /** Set for a book that newer code wrote: it is read as it stands, every write is refused. */
  readonly newer: NewerBook | undefined
  readonly kinds: Kinds
  readonly role: Role
  /** This copy of the book, as the mirror knows it: random, made with the database, kept in it. */
  readonly device: string
  /** Gives this copy a new name, because another copy has the old one. Inside a transaction. */
  renameDevice(): void
  /** Whether the engine before this one closed the book. */
  readonly mark: OpenMark
  readonly stamps: StampClock
  readonly settings: Settings
  readonly records: RecordStore
  /** What was made from what. */
  readonly sources: Sources
  readonly resealing: Resealing
  /** Opens and seals bodies. */
  readonly bodies: Bodies
  /** Sealed records in clear, in memory, while the keys are here; absent where they never are. */
  readonly openedRecords: OpenedRecords | undefined
  readonly ops: OpLog
  readonly sums: PlaceSums
  readonly projection: Projection
  readonly queries: BookQueries
  /** The policies, for the door. */
  readonly policyRows: PolicyRows
  /** The text index in memory, where it is wanted. It fills only as it is stepped. */
  readonly textIndex: TextIndex | undefined
  /** Vectors; nothing happens here until a space is entered. */
  readonly vectors: VectorStore
  /** The model that is computed from the book's own texts. */
  readonly models: ModelStore
  readonly conflicts: ConflictLog
  readonly purge: Purge
  /** The copy of the records beside the book, where one is kept. */
  readonly checkpoint: Checkpoint | undefined
  readonly requests: RequestLog
  /** How much guests have stored. */
  readonly guests: GuestUsage
  /** Who called what here; absent where nothing may be written, or where it is not wanted. */
  readonly access: AccessLog | undefined
  /** Recalls and contexts as they were asked here; absent where nothing may be written, and at a mirror. */
  readonly activity: ActivityLog | undefined
  /** At the mirror: what each device has sent. */
  readonly devices: DeviceLog
  readonly writes: WriteQueue
  readonly staging: StagingStore
  /** Calls that are to be made, kept until they were. */
  readonly tasks: TaskQueue
  /** Tasks that come round; their rounds are in the queue. */
  readonly schedules: Schedules
  /** What the knowledge pool keeps at this copy. */
  readonly pool: PoolWriter
}

/** Answers to calls with a requestId are kept this long. */
const requestMemoryMs = 7 * 86_400_000

export interface BookStoreOptions {
  readonly kinds: Kinds
  readonly role: Role
  readonly ports: Ports
  /** Whose days are meant by dates without a time. Default UTC. */
  readonly zone?: Zone | undefined
  /** Runs after each committed group of writes. */
  readonly onCommit: () => void
  /** Whether the words of texts are kept in memory to be searched there, and within which bounds. */
  readonly textIndex?: boolean | TextIndexBudget
  /** How much guests may store. Default: see guest-usage.ts. */
  readonly quotas?: GuestQuotas | undefined
  /** At a mirror: where its commits become final, when that is not `db`. */
  readonly truth?: Truth | undefined
  /** Somebody knows of a book here: if there is none, that is noted in the new one. */
  readonly wasKept?: boolean | undefined
  /** Where a copy of the records is kept. Default: none is. */
  readonly checkpointFile?: { readonly file: CheckpointFile; readonly isWanted: boolean } | undefined
  /** Keeps a log of access. Default true. */
  readonly isAudited?: boolean | undefined
  /** Notes in the book that it is open, until it is closed. */
  readonly isMarked?: boolean
  /** Seals what is sensitive. Default: this copy has no keys. */
  readonly sealer?: Sealer | undefined
  /** A database in memory, for what is sealed in the other one. */
  readonly openMemory?: (() => SqlDatabase) | undefined
}

/** Forgets what stands and falls with its sources. */
function forgetMade(
  { records, stamps }: Pick<BookStore, 'records' | 'stamps'>,
  { kind, id, agent }: RecordRow,
  at: string,
): void {
  records.forget({ op: 'forget', kind, id, at, stamp: stamps.next(), agent })
}

const isShut = (row: RecordRow | undefined) => row !== undefined && (row.deleted === 1 || row.kid !== null)

/**
 * Neither the log of activity nor the pool says more of a record that is gone or sealed now, whatever it was that ended it; nor
 * does an answer say more of marks, which a repeated call would give again.
 */
function silenceGone(
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
  activity?.cover(before)
  const { kind, id, body } = before
  const marked = kinds.get(kind)?.marks
  const said = marked === undefined ? undefined : bodies.read(before, body)
  for (const target of marked !== undefined && said ? citedIds(said, marked) : [])
    eraseMarkAnswers(db, target)
  if (!kind.startsWith('pool_') || !isShut(records.row(id))) return
  // Ballots, decision and fact are silenced with their proposal.
  const of = kind === 'pool_proposal' ? undefined : bodies.read(before, body)?.['proposal']
  if (typeof of !== 'string' || !isShut(records.row(of))) pool.gone(kind, id)
}

/** Opens the book in `given`. */
export function openBookStore(given: SqlDatabase, options: BookStoreOptions): BookStore {
  const { kinds, role, ports, openMemory, zone = utcZone } = options
  const { clock } = ports
  const now = clock.now()
  const newer = findNewer(given)
  const { db: opened, derives } = newer ? readOnly(given, newer) : { db: given, derives: true }
  if (!newer) migrate(opened, formatTime(now))
  const { db, settings } = rememberSettings(opened)
  /** Something could not be read, or soon can't be: what is derived costs nothing but time. */
  const isSuspect = () => isBlamed(db) || readLevels(db) > mostLevels
  if (derives) prepareDerived(db, { kinds, zone, isSuspect }, settings)
  const mark = createOpenMark(db, settings)
  const bodies = createBodies(kinds, options.sealer ?? noSealer)
  let sealedChanges = 0
  const requests = createRequestLog(db, bodies, () => sealedChanges)
  const renameDevice = () => settings.set('device', `d_${toHex(ports.random.bytes(16))}`)
  const tidy = () => {
    requests.prune(formatTime(now - requestMemoryMs))
    clearStaging(db, settings)
    if (options.isMarked) mark.enter(formatTime(now))
    if (settings.get('device') !== undefined) return
    if (options.wasKept && settings.get('mended') === undefined) settings.set('evicted', formatTime(now))
    renameDevice()
  }
  if (!newer) tidyOpened(db, settings, tidy)
  const access = newer || options.isAudited === false ? undefined : createAccessLog(db)
  const activity = newer || role === 'mirror' ? undefined : new ActivityLog(db, bodies)
  const deviceName = () => settings.get('device') ?? ''
  const last = db.get<{ stamp: string | null }>(
    'SELECT max(stamp) AS stamp FROM records WHERE seq > (SELECT max(seq) - 1000 FROM records)',
  )
  const ops = createOpLog(db, settings)
  const sums = createPlaceSums(db, settings)
  const projection = createProjection(db, kinds, settings, {
    zone,
    frozen: derives ? undefined : newer?.error,
  })
  const inMemory = newer ? false : (options.textIndex ?? false)
  const budget = typeof inMemory === 'object' ? inMemory : undefined
  // The archive is there also where nothing is kept in memory: what another host kept must not grow old unnoticed.
  const archive = createPostingArchive(db, projection, settings, budget?.segments)
  const textIndex =
    inMemory === false ? undefined : createTextIndex({ db, kinds, projection, archive, clock, zone, budget })
  const checkpointFile = newer ? undefined : options.checkpointFile
  const checkpoint = checkpointFile && createCheckpoint({ db, ...checkpointFile, settings, ...ports })
  const pool = createPoolTables(db)
  const sources = new Sources({
    db,
    kinds,
    settings,
    bodies,
    onOutdated: (row) => records.outdated(row),
    onLinked: ({ kid, seq }) => (kid === null ? undefined : openedRecords?.changed(seq)),
    forget: (row, at) => forgetMade({ records, stamps }, row, at),
  })
  const stamps = createStampClock(clock, deviceName(), last?.stamp ?? '')
  const records: RecordStore = createRecordStore({
    db,
    role,
    kinds,
    settings,
    log: ops,
    projection,
    sums,
    bodies,
    cover: createClearTextCover(db, role === 'mirror', settings, bodies),
    sources,
    onChange(seq, covered) {
      checkpoint?.changed(seq, covered !== undefined)
      if (covered) silenceGone({ db, kinds, records, bodies, pool, activity }, covered)
    },
  })
  if (!newer) sources.prepare()
  const onCommit = () => {
    checkpoint?.committed()
    options.onCommit()
  }
  const schedules = createSchedules(db)
  records.watchSealed({ changed: () => (sealedChanges += 1), placed() {}, mirrorCleared() {} })
  const reachIndexes = createReachIndexes({ db, kinds, projection, zone, all: textIndex, role })
  const main = createQueryStore({ db, kinds, projection, clock, zone, textIndex, reachIndexes })
  const openedRecords =
    openMemory && createOpenedRecords({ db, kinds, bodies, clock, zone, openMemory, main })
  if (openedRecords) records.watchSealed(openedRecords)
  return {
    db,
    newer,
    kinds,
    role,
    guests: openGuestUsage(db, options.quotas),
    get device() {
      return deviceName()
    },
    renameDevice,
    mark,
    stamps,
    settings,
    records,
    sources,
    checkpoint,
    resealing: createResealing({
      db,
      bodies,
      log: ops,
      settings,
      onSealed(seq) {
        openedRecords?.changed(seq)
        checkpoint?.changed(seq, false)
      },
    }),
    bodies,
    openedRecords,
    sums,
    ops,
    projection,
    queries: createJointQueries({
      db,
      kinds,
      bodies,
      zone,
      main,
      opened: (within) => openedRecords?.questions(within),
      isOpened: (seq) => openedRecords?.isOpened(seq) === true,
      unread: () => openedRecords?.unread() ?? sealedGroups(db),
    }),
    policyRows: createPolicyRows(db),
    textIndex,
    models: createModelStore(db, kinds, projection, settings),
    vectors: createVectorStore({
      db,
      kinds,
      projection,
      settings,
      wasm: ports.wasm,
      limitBytes: role === 'mirror' ? mirrorVectorBytes : undefined,
    }),
    conflicts: createConflictLog(db, bodies, sources),
    purge: createPurge({ db, projection, archive, settings, checkpoint, sources }),
    requests,
    access,
    activity,
    devices: createDeviceLog(db),
    tasks: withRounds(createTaskQueue(db), schedules, db),
    schedules,
    pool,
    writes: createWriteQueue(db, ports.scheduler, onCommit, {
      truth: options.truth,
      during: [access?.during, activity].filter((one) => one !== undefined),
    }),
    staging: createStaging(db, settings, bodies),
  }
}

/** A book that was begun is opened on a full disk all the same: what is tidied then can wait. */
function tidyOpened(db: SqlDatabase, settings: Settings, tidy: () => void): void {
  try {
    db.transaction(tidy)
  } catch (error) {
    if (settings.get('device') === undefined || !isDaybookError(error, 'storage-full')) throw error
  }
}
