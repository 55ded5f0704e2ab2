// Ports: small interfaces for all that platform-free code needs from its host, each with its law. One contract suite
// tests every implementation of a port.
import type { AbortSignalLike } from './abort.ts'
import type { DaybookError } from './errors.ts'

/** Wall clock. Law: `now()` is milliseconds since 1970 UTC, and may jump forward or back between calls. */
export interface Clock {
  now(): number
}

/** Randomness. Law: `bytes(n)` returns a new array of `n` unpredictable bytes. */
export interface Random {
  bytes(count: number): Uint8Array
}

/** Event loop. Law: `soon` runs after messages that are already queued; `later` runs after at least `delayMs`. */
export interface Scheduler {
  soon(task: () => void): void
  /** Returns a function that cancels the task. */
  later(delayMs: number, task: () => void): () => void
}

/** Hashing. Law: SHA-256 of the UTF-8 bytes of `text`, in lower-case hexadecimal. */
export interface Digest {
  sha256(text: string): Promise<string>
  /** Starts the hash of a text in pieces. No piece may end inside a surrogate pair. */
  start(): RunningDigest
}

export interface RunningDigest {
  update(piece: string): void
  /** Returns the hash. Call it once, last. */
  hex(): string
}

/** Keys from passphrases. Law: PBKDF2-HMAC-SHA-256 over the UTF-8 bytes of `passphrase`, for AES-256-GCM. */
export interface Cipher {
  derive(passphrase: string, salt: Uint8Array, iterations: number): Promise<SealingKey>
}

/**
 * AES-256-GCM (NIST SP 800-38D) with tags of 128 bits. Law: `open` returns the text that `seal` got with the same
 * `nonce` and `bound`, and undefined for any other input. A nonce has 12 bytes and is used once per key.
 */
export interface SealingKey {
  seal(nonce: Uint8Array, bound: string, text: string): Promise<Uint8Array>
  open(nonce: Uint8Array, bound: string, sealed: Uint8Array): Promise<string | undefined>
}

/**
 * Synchronous AES-256-GCM, to seal inside a transaction. Law: as for `SealingKey`. `secret`: 32 bytes. Hosts that
 * never seal don't have it.
 */
export interface InstantCipher {
  key(secret: Uint8Array): InstantKey
}

export interface InstantKey {
  seal(nonce: Uint8Array, bound: string, text: string): Uint8Array
  open(nonce: Uint8Array, bound: string, sealed: Uint8Array): string | undefined
}

/**
 * Key encapsulation for another person: HPKE (RFC 9180) in base mode with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and
 * the export-only AEAD; exports one secret of 32 bytes. Law: only the pair of the public key, with the same `info`,
 * receives the secret of `send`. Invalid bytes give undefined. Hosts without X25519 don't have it, or always return
 * undefined.
 */
export interface KeyEncapsulation {
  /** Derives a pair from 32 secret bytes. Equal bytes give equal pairs. */
  pair(secret: Uint8Array): Promise<EncapsulationPair | undefined>
  /** Returns a new secret, and the 32 bytes from which the holder of the private key derives it. */
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
 * Storage on a device for the keys that seal its book, outside the book. Law: `write` replaces the whole text and is
 * durable when it resolves. `deviceKey` creates the device's key at the first call; every other call, also one at the
 * same time, returns the same key. Errors are `storage-unavailable` or `storage-failed`; they contain the place, never
 * the content.
 */
export interface KeyVault {
  read(): Promise<string | undefined>
  write(text: string): Promise<void>
  deviceKey(): Promise<SealingKey>
  /** Place of the keys, as shown to a person. Absent in memory. */
  readonly place?: string
  /**
   * Error for stored keys that can't be used, with remedies for this host. `form`: the text has an unknown format.
   * `key`: the device's key doesn't open it.
   */
  unusable?(why: 'form' | 'key'): DaybookError
}

/**
 * Ed25519 signatures (RFC 8032) over bytes, or over the UTF-8 bytes of a text. Keys are `did:key`s, signatures are
 * base64url. One key signs everything of a book, so a signed text must state its purpose: use canonical JSON with
 * distinctive fields.
 *
 * Law: `verify` is true only for a text that the holder of `key` signed; malformed keys and signatures give false.
 * `signer` creates the book's key at the first call and then returns the same key; its private half can be used but
 * not read. Undefined where no private key is stored.
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

/** A question to a language model: an instruction, and the text that it applies to. */
export interface LlmQuestion {
  readonly instruction: string
  readonly text: string
}

/**
 * A language model. Law: `answer` returns a complete answer within the time limit, or throws `model-unavailable`, or
 * `aborted` if the caller cancelled. A truncated or oversize answer counts as no answer. Answers are untrusted: parse
 * them strictly. Send at most `limitChars` of text per call.
 */
export interface Llm {
  /** Provider and model, as shown to a person: `api|gpt-4.1-mini`. */
  readonly name: string
  readonly limitChars: number
  /** True if it may get sensitive texts: it runs on this device, or the owner allowed it. */
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

/** WebAssembly. Law: instantiates a module without imports, synchronously. Undefined: the host can't or may not. */
export interface Wasm {
  instantiate(module: Uint8Array<ArrayBuffer>): WasmExports | undefined
}

/** Purpose of a vector. Some models embed stored texts and questions differently. */
export type EmbedPurpose = 'document' | 'question'

/**
 * Embeds texts as vectors of one space. The space is `provider|model|dimensions|normalised`.
 *
 * Law: returns one vector for each text, in order, all with the same number of dimensions and with finite numbers.
 * Each has length 1, or less if the model understood only a part of the text, down to 0. Vectors of equal spaces are
 * comparable. Errors are `embedder-failed`, with `retry` if the same call may succeed later, or `aborted`; they
 * contain no keys or texts.
 */
export interface Embedder {
  readonly provider: string
  readonly model: string
  /** Undefined until the first answer. */
  readonly dimensions: number | undefined
  /** Maximum of texts in one call. */
  readonly batch: number
  /** Similarity below which a record is no hit. Undefined: recall takes records with outstanding similarity. */
  readonly minSimilarity: number | undefined
  /** True: it knows only words of the book, so its hits count only if full text has hits too. */
  readonly needsOtherAnswer?: boolean
  /** Weight in the fusion of recall, relative to full text with weight 1. */
  readonly weight: number
  /**
   * How well `text` has each content word of `question`, by meaning: the similarity of the word that it has least, at
   * most 1. Undefined while it isn't loaded. Absent: the embedder knows whole texts only.
   */
  agreement?(question: string, text: string): number | undefined
  /** Whether it knows a content word of `question`; if not, its vector answers only beside words. Absent: it always does. */
  knows?(question: string): boolean
  /** False for a question in a language that it doesn't know: it gets no vector. Absent: it knows any. */
  isOwnLanguage?(question: string): boolean
  /** True: unrelated texts have a similarity of about 0 in any book, so a book of similar records has limits too. */
  readonly isCentred?: boolean | undefined
  /** Reason why the embedder can't embed yet; undefined if it can. */
  readonly waiting?: string | undefined
  /**
   * Of an embedder that embeds a text in microseconds once its model is loaded: whether it is loaded. Recall then embeds new
   * records before it answers. Absent: it may be slow.
   */
  readonly isLoaded?: boolean | undefined
  /** Loaded bytes of its model while it loads. Meanwhile recall doesn't embed questions. */
  readonly loading?: { readonly done: number; readonly total: number } | undefined
  /**
   * Does a few milliseconds of preparation in idle time. True: more is left. A promise: longer work such as a
   * download, which rejects like `embed`.
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
  /** Absent: plain JavaScript does the work. */
  readonly wasm?: Wasm
}

export type SqlValue = string | number | null | Uint8Array
export type SqlRow = Readonly<Record<string, SqlValue>>

/**
 * A synchronous SQLite connection that no other code uses.
 *
 * Law: a statement sees all earlier ones. `transaction` commits when its function returns, rolls back when it throws,
 * and doesn't nest. Values are returned as stored: BLOBs as `Uint8Array`, integers below 2^53 as numbers. SQL text
 * must be constant, because it is the key of the statement cache, and within the subset of all hosts: at most 100
 * parameters, no TEMP tables, no PRAGMA, no BEGIN. A full disk throws `storage-full`, another storage fault
 * `storage-failed`, a wrong statement the host's error. `scrub` runs outside transactions and removes deleted data
 * from the files that the host controls. A platform may keep earlier states of a database (Durable Objects: 30 days).
 */
export interface SqlDatabase {
  /** True if deleted bytes stay in their pages. Then overwrite them with zeros before a delete. */
  readonly keepsDeleted?: boolean
  /** Runs statements without parameters or results, separated by semicolons. */
  exec(sql: string): void
  /** Runs one statement. */
  run(sql: string, params?: readonly SqlValue[]): void
  /** Returns all rows, as objects keyed by column name. */
  all<Row extends SqlRow = SqlRow>(sql: string, params?: readonly SqlValue[]): Row[]
  /** Returns the first row, or undefined. */
  get<Row extends SqlRow = SqlRow>(sql: string, params?: readonly SqlValue[]): Row | undefined
  transaction<Result>(work: () => Result): Result
  /**
   * Waits until all earlier commits are durable. Returns undefined if they already are. Absent: commits are durable
   * when `transaction` returns. `write`: rejects with `storage-full` or `storage-failed`; then every later call fails
   * too, because the database is ahead of its storage, and must be opened again. `read`: a full storage is no error.
   */
  settled?(what: 'read' | 'write'): Promise<void> | undefined
  /** Bytes of the database, free pages included. */
  sizeBytes(): number
  /** Removes deleted rows from the files. May be slow. `space`: only frees their space. */
  scrub(what?: 'space'): void
  close(): void
}

/**
 * A second file beside the book's own file. Law: `open` returns its database, empty for a new file; commits are on
 * disk when they return; only one engine at a time uses the file. `remove` deletes the whole file; call it only while
 * the file is closed.
 */
export interface CheckpointFile {
  /** Name of the book's file; the copy stores it. */
  readonly of?: string
  exists(): boolean
  open(): SqlDatabase
  remove(): void
  /** True if the disk has space for a copy of a book of `bookBytes`, and the same space again. */
  fits(bookBytes: number): boolean
}

/**
 * The database of record of a mirror, where commits become final. A Durable Object needs none, because its own
 * database is final. On other hosts several processes may share it; our database is then a disposable copy that
 * follows it.
 *
 * Law: `commit` runs `work` (synchronous, maybe more than once) after everything committed before, in this process or
 * another, and commits its changes atomically. Commits of one book are serial across processes. Our database never
 * contains uncommitted changes. When `follow` resolves, our database contains everything committed before the call.
 * Both throw `DaybookError`: the error of `work`, or `storage-failed` with `retry`. After `storage-failed` the commit
 * may have happened; the caller must recognise a repeated commit by its number.
 */
export interface Truth {
  follow(): Promise<void>
  commit<Result>(work: () => Result): Promise<Result>
}

/**
 * Transport to a mirror. Law: `exchange` sends one request and returns the response unchecked. It throws
 * `DaybookError`: the mirror's refusal, or `offline`.
 */
export interface Carrier {
  exchange(request: unknown, signal: AbortSignalLike): Promise<unknown>
  /**
   * Runs a capability at the mirror. Absent: the transport can't. Law: a repeated `requestId` returns the same answer
   * and has no further effect.
   */
  call?(id: string, input: unknown, requestId: string, signal: AbortSignalLike): Promise<unknown>
  /**
   * Erases the book at the mirror. Absent: the transport can't. `epoch`: the epoch that this device knows. Law:
   * atomic; a repeated request gets the same answer.
   */
  erase?(request: EndRequest, signal: AbortSignalLike): Promise<unknown>
  /** Allows a new book under a name that was erased at the mirror. Returns `{ begun }`; false: a book exists. */
  begin?(request: EndRequest, signal: AbortSignalLike): Promise<unknown>
  /**
   * Opens a connection on which the mirror sends news. Absent: the host has none. Law: calls `opened` at most once,
   * then `received` for each text. Calls `ended` once and last, unless `close` was called first. Texts are lost only
   * together with the connection. Default of `purposes`: `sync`.
   */
  listen?(device: string, hooks: LineHooks, purposes?: readonly ('sync' | 'room' | 'pool')[]): MirrorLine
}

/** The owner's confirmation to end or begin a book. `confirm`: name of the book. */
export interface EndRequest {
  readonly confirm: string
  readonly epoch?: string | undefined
}

export interface LineHooks {
  /**
   * `version`: version of the line's frames that the mirror accepted, default 1. `purposes`: those that the mirror
   * permits on this line.
   */
  opened(version?: 1 | 2, purposes?: readonly ('sync' | 'room' | 'pool')[]): void
  received(text: string): void
  /** Reason for the end of the connection: `offline` if it broke, else the mirror's refusal. */
  ended(error: DaybookError): void
}

export interface MirrorLine {
  send(text: string): void
  close(): void
}

/** A stored sync request, and its answer if it has one. */
export interface Spilled {
  readonly request: string
  readonly answer?: string | undefined
}

/**
 * Storage for sync requests that the platform sends while no engine runs. Law: the requests of `put` stay, in order,
 * until they are replaced or cleared, even if this engine crashes. `read` returns them with their answers so far.
 * Nothing stays longer than a week.
 */
export interface SpillPlace {
  put(requests: readonly string[]): Promise<void>
  read(): Promise<readonly Spilled[]>
  clear(): Promise<void>
}
