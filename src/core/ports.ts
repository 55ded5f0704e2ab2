// Everything that code without a platform needs from the outside world, as small interfaces with their laws.
// Each port has several implementations and one contract suite that runs on all of them.
import type { AbortSignalLike } from './abort.ts'
import type { DaybookError } from './errors.ts'

/** Wall clock. Law: `now()` is milliseconds since 1970 UTC; it may jump either way between calls. */
export interface Clock {
  now(): number
}

/** Randomness. Law: `bytes(n)` are unpredictable, `n` of them, never shared with an earlier answer. */
export interface Random {
  bytes(count: number): Uint8Array
}

/** Turns of the event loop. Law: `soon` runs after messages that already wait, `later` not before `delayMs`. */
export interface Scheduler {
  soon(task: () => void): void
  /** Returns a function that cancels. */
  later(delayMs: number, task: () => void): () => void
}

/** Hashing. Law: SHA-256 of the UTF-8 bytes of `text`, in lower-case hex. */
export interface Digest {
  sha256(text: string): Promise<string>
  /** The same of a text that comes in pieces; no piece ends inside a surrogate pair. */
  start(): RunningDigest
}

export interface RunningDigest {
  update(piece: string): void
  /** Ends it. */
  hex(): string
}

/** Keys from passphrases. Law: PBKDF2-HMAC-SHA-256 over the UTF-8 bytes of `passphrase`, for AES-256-GCM. */
export interface Cipher {
  derive(passphrase: string, salt: Uint8Array, iterations: number): Promise<SealingKey>
}

/**
 * AES-256-GCM (NIST SP 800-38D), tags of 128 bits. Law: `open` answers exactly what was sealed under the same `nonce`
 * (12 bytes, never used twice with a key) and the same `bound` text, and undefined for everything else.
 */
export interface SealingKey {
  seal(nonce: Uint8Array, bound: string, text: string): Promise<Uint8Array>
  open(nonce: Uint8Array, bound: string, sealed: Uint8Array): Promise<string | undefined>
}

/**
 * AES-256-GCM at once, for what is sealed inside a transaction. Law: that of `SealingKey`; `secret` is 32 bytes. Absent
 * where nothing is ever sealed.
 */
export interface InstantCipher {
  key(secret: Uint8Array): InstantKey
}

export interface InstantKey {
  seal(nonce: Uint8Array, bound: string, text: string): Uint8Array
  open(nonce: Uint8Array, bound: string, sealed: Uint8Array): string | undefined
}

/**
 * Keys for somebody else: HPKE (RFC 9180) in base mode with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and the export-only
 * AEAD, of which one secret of 32 bytes is exported. Law: what `send` made for a public key is `receive`d by the pair that
 * has it, with the same `info`, as the same secret, and by nobody else; bytes that are no such thing are undefined. Absent,
 * or all undefined, where the host has no X25519.
 */
export interface KeyEncapsulation {
  /** The pair that follows from 32 secret bytes, always the same one. */
  pair(secret: Uint8Array): Promise<EncapsulationPair | undefined>
  /** A new secret, and the 32 bytes by which the holder of the private half comes to it. */
  send(publicKey: Uint8Array, info: string): Promise<Encapsulated | undefined>
}

export interface EncapsulationPair {
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  receive(encapsulated: Uint8Array, info: string): Promise<Uint8Array | undefined>
}

export interface Encapsulated {
  readonly encapsulated: Uint8Array
  readonly secret: Uint8Array
}

/**
 * Where a device keeps the keys that seal its book, apart from the book. Law: `write` replaces what is kept as a whole,
 * and it is durable when it resolves; `deviceKey` answers the key of this device, made when it is first asked for and the
 * same ever after. What fails is `storage-unavailable` or `storage-failed`, and says where, never what is in it.
 */
export interface KeyVault {
  read(): Promise<string | undefined>
  write(text: string): Promise<void>
  deviceKey(): Promise<SealingKey>
  /** Where the keys are, for those who look for them. Absent in memory. */
  readonly place?: string
  /**
   * The error of what is kept and can't be used, with ways out that work here. `form`: it is nothing that is known. `key`: the
   * key of this device does not open it.
   */
  unusable?(why: 'form' | 'key'): DaybookError
}

/**
 * Ed25519 signatures (RFC 8032) over bytes, or the UTF-8 bytes of a text. Keys are named as `did:key`s, signatures are base64url.
 * One key signs everything of a book, so what is signed must say what it is: canonical JSON whose fields tell.
 *
 * Law: `verify` is true only for what the holder of `key` signed, and false for all else, malformed keys and
 * signatures included. `signer` answers the book's own key, made when it is first asked for and the same ever after;
 * its private half can be used but not read. Where no private key is kept there is none: undefined.
 */
export interface Keyring {
  verify(key: string, signed: string | Uint8Array, signature: string): Promise<boolean>
  signer(): Promise<Signer | undefined>
}

export interface Signer {
  /** The public key, as a `did:key`. */
  readonly key: string
  sign(text: string): Promise<string>
}

/** What a language model is asked: what to do, and the text to do it with, kept apart. */
export interface LlmQuestion {
  readonly instruction: string
  readonly text: string
}

/**
 * A language model. Law: `answer` gives its whole answer to one question, in time, or throws `model-unavailable`
 * (`aborted` when the caller cancelled); a cut or oversize answer is none. What it says is not to be trusted: whoever
 * asks parses it strictly. It must not be given more than `limitChars` of text at once.
 */
export interface Llm {
  /** Provider and model, for people: `api|gpt-4.1-mini`. */
  readonly name: string
  readonly limitChars: number
  /** True for one that may read sensitive texts: it runs on this device, or the owner of the book said so. */
  readonly takesSensitive?: boolean
  answer(question: LlmQuestion, signal: AbortSignalLike): Promise<string>
}

/** Where diagnostics go. Law: never throws, never receives the content of a record or a secret. */
export interface Log {
  warn(message: string, details?: Readonly<Record<string, unknown>>): void
}

/** What an instance of a WebAssembly module offers. */
export interface WasmExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  readonly [name: string]: unknown
}

/** WebAssembly. Law: instantiates a module that imports nothing, at once; undefined where the host can't or may not. */
export interface Wasm {
  instantiate(module: Uint8Array<ArrayBuffer>): WasmExports | undefined
}

/** What a text is embedded for: some models see texts to find and questions that find them differently. */
export type EmbedPurpose = 'document' | 'question'

/**
 * Turns texts into vectors of one space, named by `provider|model|dimensions|normalised`.
 *
 * Law: answers one vector for each text, in their order, all of the same number of dimensions, all numbers finite;
 * each of length 1, or shorter the less of the text it understood, down to zeros. The same name means comparable
 * vectors. What fails is a `DaybookError`: `embedder-failed`, with `retry` when the same call may succeed later, or
 * `aborted`. Keys and texts never stand in an error.
 */
export interface Embedder {
  readonly provider: string
  readonly model: string
  /** Undefined while only an answer can tell. */
  readonly dimensions: number | undefined
  /** Most texts of one call. */
  readonly batch: number
  /** Similarity below which a record is no answer to a question; undefined: what stands out among the book's. */
  readonly minSimilarity: number | undefined
  /** True: it knows no more words than the book, so it answers only where full text has an answer too. */
  readonly besides?: boolean
  /** Its share in the fusion of recall, beside 1 for full text. */
  readonly weight: number
  /** Why it can't embed yet, in words; undefined when it can. */
  readonly waiting?: string | undefined
  /** How far its model is loaded, in bytes, while it is; questions are not asked meanwhile. */
  readonly loading?: { readonly done: number; readonly total: number } | undefined
  /**
   * Does a few milliseconds of work of its own; true when more is to be done. For idle time. A promise when it is
   * something to wait for, such as a download; it fails as `embed` does.
   */
  prepare?(): boolean | Promise<void>
  embed(
    texts: readonly string[],
    purpose: EmbedPurpose,
    signal: AbortSignalLike,
  ): Promise<readonly Float32Array[]>
  close(): void
}

export interface Ports {
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
  readonly digest: Digest
  readonly cipher: Cipher
  readonly aes?: InstantCipher
  readonly encapsulation?: KeyEncapsulation
  readonly log: Log
  /** Absent where nothing can be compiled: what is fast with it then runs as plain JavaScript. */
  readonly wasm?: Wasm
}

export type SqlValue = string | number | null | Uint8Array
export type SqlRow = Readonly<Record<string, SqlValue>>

/**
 * A synchronous SQLite connection, exclusively ours.
 *
 * Law: statements see all earlier ones; `transaction` commits when its function returns and undoes everything
 * when it throws, and does not nest; values come back as they went in, BLOBs as `Uint8Array`, integers below
 * 2^53 as numbers; SQL text is constant (it is the key of the statement cache) and stays within the subset that
 * every host speaks: at most 100 parameters, no TEMP tables, no PRAGMA, no BEGIN. A full disk is `storage-full`,
 * any other fault of the storage `storage-failed`; a wrong statement throws what the host throws. `scrub` runs outside
 * of transactions and leaves nothing in the files of what was deleted before, as far as the host has a hand in that: a
 * platform that keeps earlier states of a database by itself (Durable Objects: 30 days) goes on keeping them.
 */
export interface SqlDatabase {
  /** True where deleted bytes stay in the pages that they stood in, so that whoever deletes writes zeros there first. */
  readonly keepsDeleted?: boolean
  /** Runs statements without parameters or results, separated by semicolons. */
  exec(sql: string): void
  /** Runs one statement. */
  run(sql: string, params?: readonly SqlValue[]): void
  /** All rows of one query, as objects keyed by column name. */
  all<Row extends SqlRow = SqlRow>(sql: string, params?: readonly SqlValue[]): Row[]
  /** The first row, or undefined. */
  get<Row extends SqlRow = SqlRow>(sql: string, params?: readonly SqlValue[]): Row | undefined
  transaction<Result>(work: () => Result): Result
  /**
   * Absent where a commit is kept when `transaction` returns. Elsewhere it resolves (or answers undefined, at once) when
   * everything committed before the call is kept. For a `write` it rejects when that can't be had, with `storage-full` or
   * `storage-failed`, and then everything does: the database is ahead of what is kept, and must be opened again. For a
   * `read` a full storage is no reason to reject.
   */
  settled?(what: 'read' | 'write'): Promise<void> | undefined
  /** Bytes the database takes, its free pages included. */
  sizeBytes(): number
  /** Takes deleted rows out of the files for good, which may take a while. `space`: only gives back what they took. */
  scrub(what?: 'space'): void
  close(): void
}

/**
 * A second file beside the book's own. Law: `open` answers the database in it, an empty one where there was none, whose
 * commits are on the disk when they return; one engine at a time calls it. `remove` leaves nothing of the file; an engine
 * calls it only while the file is closed.
 */
export interface CheckpointFile {
  /** The name of the file of the book, which the copy notes. */
  readonly of?: string
  exists(): boolean
  open(): SqlDatabase
  remove(): void
  /** Whether the disk takes a copy of a book of `bookBytes`, and has as much again left. */
  fits(bookBytes: number): boolean
}

/**
 * Where the commits of a mirror become final. A Durable Object needs none: its own database is the truth. Elsewhere the
 * truth may be a database that many processes share, and ours a copy that follows it and can be thrown away.
 *
 * Law: `commit` runs `work`, which is synchronous and may run more than once, on everything that was committed before,
 * here or elsewhere, and commits what it changed as a whole or not at all; commits of one book happen one after another,
 * wherever they are made. Our database never shows what was not committed there. When `follow` resolves, everything that
 * was committed before the call is in our database. Either throws `DaybookError`: what `work` threw, or `storage-failed`
 * with `retry`; then the commit may yet have happened, and whoever does it again must be known by his number.
 */
export interface Truth {
  follow(): Promise<void>
  commit<Result>(work: () => Result): Promise<Result>
}

/**
 * The way to a mirror. Law: `exchange` sends one request and answers the mirror's response as it came, unchecked.
 * It throws `DaybookError`: what the mirror refused with, or `offline` when it could not be asked.
 */
export interface Carrier {
  exchange(request: unknown, signal: AbortSignalLike): Promise<unknown>
  /** Runs a capability at the mirror, where it can be asked. Law: the same `requestId` again has the same answer and no effect. */
  call?(id: string, input: unknown, requestId: string, signal: AbortSignalLike): Promise<unknown>
  /**
   * Erases the book at the mirror, where it can be asked; `epoch` is the one that this device knows it by. Law: it is erased
   * as a whole or not at all, and asked again it answers the same.
   */
  erase?(asked: EndOfBook, signal: AbortSignalLike): Promise<unknown>
  /** Lets a book of that name be begun at a mirror where it was erased; `{ begun }` is false where there is one. */
  begin?(asked: EndOfBook, signal: AbortSignalLike): Promise<unknown>
  /**
   * Opens a line on which the mirror tells of changes by itself, where the host has one. Law: `opened` is called at most
   * once, then `received` for each text; `ended` exactly once, unless `close` was called first, and nothing after it. Texts may
   * be lost with the line and with nothing else. `purposes` is what the line is for; by default news of records.
   */
  listen?(device: string, hooks: LineHooks, purposes?: readonly ('sync' | 'room' | 'pool')[]): Line
}

/** What the owner of a book says to end it, or begin it anew: its name. */
export interface EndOfBook {
  readonly confirm: string
  readonly epoch?: string | undefined
}

export interface LineHooks {
  /** `version` is that of the line which the mirror took, 1 where it is not told; `purposes` what its ticket was for. */
  opened(version?: 1 | 2, purposes?: readonly ('sync' | 'room' | 'pool')[]): void
  received(text: string): void
  /** Why the line is gone: `offline` when it broke, or what the mirror refused with. */
  ended(error: DaybookError): void
}

export interface Line {
  send(text: string): void
  close(): void
}

/** A request of sync as the bytes that are to be sent, with the bytes of its answer once there is one. */
export interface Spilled {
  readonly request: string
  readonly answer?: string | undefined
}

/**
 * Where a book leaves requests for somebody who sends them when no engine runs. Law: what `put` left is there, in its
 * order, until it is replaced or cleared, however this engine ends; `read` answers it with what came for it meanwhile.
 * Nothing is there for longer than a week.
 */
export interface SpillPlace {
  put(requests: readonly string[]): Promise<void>
  read(): Promise<readonly Spilled[]>
  clear(): Promise<void>
}
