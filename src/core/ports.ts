// Ports: everything that platform-free code needs from its host, as small interfaces with their laws. One contract suite
// tests every implementation of a port.
import type { AbortSignalLike } from './abort.ts'
import type { DaybookError } from './errors.ts'

/** Wall clock. Law: `now()` is milliseconds since 1970 UTC; it may jump either way between calls. */
export interface Clock {
  now(): number
}

/** Randomness. Law: `bytes(n)` returns `n` unpredictable bytes in an array of their own. */
export interface Random {
  bytes(count: number): Uint8Array
}

/** Event loop. Law: `soon` runs after the messages that already wait; `later` runs after at least `delayMs`. */
export interface Scheduler {
  soon(task: () => void): void
  /** Returns a function that cancels. */
  later(delayMs: number, task: () => void): () => void
}

/** Hashing. Law: SHA-256 of the UTF-8 bytes of `text`, in lower-case hex. */
export interface Digest {
  sha256(text: string): Promise<string>
  /** Hashes a text that comes in pieces. No piece may end inside a surrogate pair. */
  start(): RunningDigest
}

export interface RunningDigest {
  update(piece: string): void
  /** Ends the hash and returns it. */
  hex(): string
}

/** Keys from passphrases. Law: PBKDF2-HMAC-SHA-256 over the UTF-8 bytes of `passphrase`, for AES-256-GCM. */
export interface Cipher {
  derive(passphrase: string, salt: Uint8Array, iterations: number): Promise<SealingKey>
}

/**
 * AES-256-GCM (NIST SP 800-38D), tags of 128 bits. Law: `open` returns exactly the text that was sealed with the same
 * `nonce` (12 bytes, never reused with a key) and the same `bound` text, and undefined for everything else.
 */
export interface SealingKey {
  seal(nonce: Uint8Array, bound: string, text: string): Promise<Uint8Array>
  open(nonce: Uint8Array, bound: string, sealed: Uint8Array): Promise<string | undefined>
}

/**
 * Synchronous AES-256-GCM, for sealing inside a transaction. Law: that of `SealingKey`; `secret` is 32 bytes. Absent
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
 * Keys for another person: HPKE (RFC 9180) in base mode with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and the export-only
 * AEAD, which exports one secret of 32 bytes. Law: only the pair of the public key, with the same `info`, receives the
 * secret that `send` made. Invalid bytes give undefined. Absent, or always undefined, if the host has no X25519.
 */
export interface KeyEncapsulation {
  /** The pair derived from 32 secret bytes; always the same one. */
  pair(secret: Uint8Array): Promise<EncapsulationPair | undefined>
  /** A new secret, and the 32 bytes from which the holder of the private key derives it. */
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
 * Storage of a device for the keys that seal its book, outside the book. Law: `write` replaces the whole text and is
 * durable when it resolves; `deviceKey` creates the device's key at the first call and returns the same key from then on.
 * Errors are `storage-unavailable` or `storage-failed`; they name the place, never the content.
 */
export interface KeyVault {
  read(): Promise<string | undefined>
  write(text: string): Promise<void>
  deviceKey(): Promise<SealingKey>
  /** Place of the keys, for people who look for them. Absent in memory. */
  readonly place?: string
  /**
   * Error for stored keys that can't be used, with remedies for this host. `form`: the text has no known format. `key`:
   * the device's key doesn't open it.
   */
  unusable?(why: 'form' | 'key'): DaybookError
}

/**
 * Ed25519 signatures (RFC 8032) over bytes or the UTF-8 bytes of a text. Keys are `did:key`s, signatures are base64url.
 * One key signs everything of a book, so a signed text must state its purpose: canonical JSON with telling fields.
 *
 * Law: `verify` is true only for texts that the holder of `key` signed, and false for everything else, malformed keys and
 * signatures included. `signer` creates the book's key at the first call and returns the same one from then on; its
 * private half can be used but not read. Undefined where no private key is stored.
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

/** A question to a language model: the instruction, and separately the text it applies to. */
export interface LlmQuestion {
  readonly instruction: string
  readonly text: string
}

/**
 * A language model. Law: `answer` returns the complete answer to one question within the time limit, or throws
 * `model-unavailable` (`aborted` if the caller cancelled). A truncated or oversize answer counts as no answer. Answers
 * are untrusted: parse them strictly. Send at most `limitChars` of text at once.
 */
export interface Llm {
  /** Provider and model, for people: `api|gpt-4.1-mini`. */
  readonly name: string
  readonly limitChars: number
  /** True if it may read sensitive texts: it runs on this device, or the owner allowed it. */
  readonly takesSensitive?: boolean
  answer(question: LlmQuestion, signal: AbortSignalLike): Promise<string>
}

/** Diagnostics. Law: never throws, and never receives secrets or the content of a record. */
export interface Log {
  warn(message: string, details?: Readonly<Record<string, unknown>>): void
}

/** Exports of a WebAssembly instance. */
export interface WasmExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  readonly [name: string]: unknown
}

/** WebAssembly. Law: synchronously instantiates a module without imports; undefined where the host can't or may not. */
export interface Wasm {
  instantiate(module: Uint8Array<ArrayBuffer>): WasmExports | undefined
}

/** Purpose of an embedding: some models embed stored texts and questions differently. */
export type EmbedPurpose = 'document' | 'question'

/**
 * Embeds texts as vectors of one space, named by `provider|model|dimensions|normalised`.
 *
 * Law: returns one vector for each text, in order, all with the same number of dimensions and finite numbers. Each has
 * length 1, or less the less of the text it understood, down to zeros. Equal names mean comparable vectors. Errors are
 * `embedder-failed`, with `retry` if the same call may succeed later, or `aborted`; they never contain keys or texts.
 */
export interface Embedder {
  readonly provider: string
  readonly model: string
  /** Undefined until the first answer. */
  readonly dimensions: number | undefined
  /** Most texts of one call. */
  readonly batch: number
  /** Similarity below which a record is no answer to a question; undefined: take what stands out in the book. */
  readonly minSimilarity: number | undefined
  /** True: it knows no words beyond those of the book, so it answers only if full text does too. */
  readonly besides?: boolean
  /** Its weight in the fusion of recall; full text has 1. */
  readonly weight: number
  /** Reason why it can't embed yet; undefined if it can. */
  readonly waiting?: string | undefined
  /** Bytes loaded of its model, while loading; recall doesn't embed questions meanwhile. */
  readonly loading?: { readonly done: number; readonly total: number } | undefined
  /**
   * Does a few milliseconds of its own work in idle time; true if more is left. Returns a promise for work that waits,
   * such as a download; it rejects as `embed` does.
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
  /** Absent where nothing can be compiled: plain JavaScript then does the work. */
  readonly wasm?: Wasm
}

export type SqlValue = string | number | null | Uint8Array
export type SqlRow = Readonly<Record<string, SqlValue>>

/**
 * A synchronous SQLite connection, exclusively ours.
 *
 * Law: statements see all earlier ones. `transaction` commits when its function returns, rolls back when it throws, and
 * doesn't nest. Values come back as they went in, BLOBs as `Uint8Array`, integers below 2^53 as numbers. SQL text is
 * constant (it is the key of the statement cache) and within the subset of every host: at most 100 parameters, no TEMP
 * tables, no PRAGMA, no BEGIN. A full disk is `storage-full`, any other storage fault `storage-failed`; a wrong statement
 * throws the host's error. `scrub` runs outside of transactions and removes deleted data from the files, as far as the
 * host controls them: a platform that stores earlier states of a database (Durable Objects: 30 days) continues to do so.
 */
export interface SqlDatabase {
  /** True where deleted bytes stay in their pages, so deleting code must overwrite them with zeros first. */
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
   * Waits until all earlier commits are durable; absent where they are when `transaction` returns. Undefined means they
   * already are. For a `write` it rejects with `storage-full` or `storage-failed` if that fails; then every later call
   * fails too, because the database is ahead of its storage and must be opened again. For a `read` a full storage is no
   * error.
   */
  settled?(what: 'read' | 'write'): Promise<void> | undefined
  /** Bytes of the database, free pages included. */
  sizeBytes(): number
  /** Removes deleted rows from the files for good, which may take a while. `space`: only returns their space. */
  scrub(what?: 'space'): void
  close(): void
}

/**
 * A second file beside the book's own. Law: `open` returns the database in it, empty for a new file; its commits are on
 * disk when they return, and one engine at a time calls it. `remove` leaves nothing of the file; call it only while the
 * file is closed.
 */
export interface CheckpointFile {
  /** Name of the book's file, which the copy records. */
  readonly of?: string
  exists(): boolean
  open(): SqlDatabase
  remove(): void
  /** True if the disk takes a copy of a book of `bookBytes` and has as much space left again. */
  fits(bookBytes: number): boolean
}

/**
 * The database in which the commits of a mirror become final. A Durable Object needs none: its own database is the truth.
 * Elsewhere many processes may share the truth, and our database is a disposable copy that follows it.
 *
 * Law: `commit` runs `work` (synchronous, maybe more than once) after everything that was committed before, here or
 * elsewhere, and commits its changes as a whole or not at all. Commits of one book run one after another, wherever they
 * are made. Our database never shows uncommitted changes. When `follow` resolves, our database has everything that was
 * committed before the call. Both throw `DaybookError`: the error of `work`, or `storage-failed` with `retry`; then the
 * commit may still have happened, and the caller must recognise a repeated one by its number.
 */
export interface Truth {
  follow(): Promise<void>
  commit<Result>(work: () => Result): Promise<Result>
}

/**
 * Transport to a mirror. Law: `exchange` sends one request and returns the mirror's response unchecked. It throws
 * `DaybookError`: the mirror's refusal, or `offline` if the mirror can't be reached.
 */
export interface Carrier {
  exchange(request: unknown, signal: AbortSignalLike): Promise<unknown>
  /**
   * Runs a capability at the mirror, if the transport can. Law: repeating a `requestId` returns the same answer and has
   * no effect.
   */
  call?(id: string, input: unknown, requestId: string, signal: AbortSignalLike): Promise<unknown>
  /**
   * Erases the book at the mirror, if the transport can; `epoch` is the one this device knows. Law: all or nothing, and
   * repeatable with the same answer.
   */
  erase?(asked: EndRequest, signal: AbortSignalLike): Promise<unknown>
  /** Allows a new book under a name that was erased at the mirror; `{ begun }` is false if a book is there. */
  begin?(asked: EndRequest, signal: AbortSignalLike): Promise<unknown>
  /**
   * Opens a line on which the mirror sends news, if the host has one. Law: `opened` is called at most once, then
   * `received` for each text. `ended` is called exactly once and last, unless `close` was called first. Texts are lost
   * only together with the line. `purposes` default to news of records.
   */
  listen?(device: string, hooks: LineHooks, purposes?: readonly ('sync' | 'room' | 'pool')[]): MirrorLine
}

/** Confirmation of the owner who ends a book, or begins it again: its name. */
export interface EndRequest {
  readonly confirm: string
  readonly epoch?: string | undefined
}

export interface LineHooks {
  /** `version` of the line that the mirror accepted, 1 if it doesn't say; `purposes` of its ticket. */
  opened(version?: 1 | 2, purposes?: readonly ('sync' | 'room' | 'pool')[]): void
  received(text: string): void
  /** Reason why the line ended: `offline` if it broke, or the mirror's refusal. */
  ended(error: DaybookError): void
}

export interface MirrorLine {
  send(text: string): void
  close(): void
}

/** A stored sync request, and its answer once there is one. */
export interface Spilled {
  readonly request: string
  readonly answer?: string | undefined
}

/**
 * Storage for sync requests that something else sends while no engine runs. Law: the requests of `put` stay, in order,
 * until they are replaced or cleared, however this engine ends. `read` returns them with the answers so far. Nothing
 * stays longer than a week.
 */
export interface SpillPlace {
  put(requests: readonly string[]): Promise<void>
  read(): Promise<readonly Spilled[]>
  clear(): Promise<void>
}
