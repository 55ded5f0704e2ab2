// Everything the pure rooms need from the outside world, as small interfaces with their laws.
// Each port has several implementations and one contract suite that runs on all of them.
import type { AbortSignalLike } from './abort.ts'

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
}

/**
 * Ed25519 signatures (RFC 8032) over the UTF-8 bytes of a text. Keys are named as `did:key`s, signatures are base64url.
 * One key signs everything of a book, so what is signed must say what it is: canonical JSON whose fields tell.
 *
 * Law: `verify` is true only for what the holder of `key` signed, and false for all else, malformed keys and
 * signatures included. `signer` answers the book's own key, made when it is first asked for and the same ever after;
 * its private half can be used but not read. Where no private key is kept there is none: undefined.
 */
export interface Keyring {
  verify(key: string, text: string, signature: string): Promise<boolean>
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

export interface Ports {
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
  readonly digest: Digest
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
 * any other fault of the storage `storage-failed`; a wrong statement throws what the host throws.
 */
export interface SqlDatabase {
  /** Runs statements without parameters or results, separated by semicolons. */
  exec(sql: string): void
  /** Runs one statement. */
  run(sql: string, params?: readonly SqlValue[]): void
  /** All rows of one query, as objects keyed by column name. */
  all<Row extends SqlRow = SqlRow>(sql: string, params?: readonly SqlValue[]): Row[]
  /** The first row, or undefined. */
  get<Row extends SqlRow = SqlRow>(sql: string, params?: readonly SqlValue[]): Row | undefined
  transaction<Result>(work: () => Result): Result
  /** Bytes the database takes, its free pages included. */
  sizeBytes(): number
  close(): void
}

/**
 * The way to a mirror. Law: `exchange` sends one request and answers the mirror's response as it came, unchecked.
 * It throws `DaybookError`: what the mirror refused with, or `offline` when it could not be asked.
 */
export interface Carrier {
  exchange(request: unknown, signal: AbortSignalLike): Promise<unknown>
}
