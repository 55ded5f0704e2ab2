// Messages between page and worker over Comlink. Outcomes are values, so that an error keeps all its fields.
import type { BookTable } from '../../book/book-table.ts'
import type { BookEvent } from '../../core/capability/event.ts'
import type { LlmQuestion } from '../../core/ports.ts'
import type { RoomSize } from '../../core/capability/port/room-port.ts'
import type { Scope } from '../../core/record.ts'
import type { ToolOutcome, ToolSetName, ToolText } from '../../book/tool/tool-source.ts'
import type { CallMessage, Reply } from '../../book/share/line-message.ts'
import type { SecretMode } from '../../core/secret/stored-secrets.ts'
import type { SyncPreferences } from '../../sync/device/sync-plan.ts'
import type { EmbedderOptions } from '../../recall/embed/embedder-options.ts'
import type { LlmOptions } from '../../memory/conversation/llm/llm-options.ts'

export interface ModelLanguages {
  /** Languages of input and output, as BCP 47 tags. Default: the model's own default. */
  readonly languages?: readonly string[]
}

export interface BuiltInOptions extends ModelLanguages {
  /** Time limit of a question in milliseconds; default 60,000. */
  readonly deadlineMs?: number
  /** Most characters of text in a question; default 6,000, because these models are small. */
  readonly limitChars?: number
}

/** The options of every host, or the browser's own model. */
export type BrowserLlmOptions = LlmOptions | ({ readonly provider: 'browser' } & BuiltInOptions)

/**
 * Data of the page for the opening. Fields without a comment are options of the user: see `OpenOptions`
 * (page/open-options.ts), which are checked already.
 */
export interface OpenRequest {
  /**
   * The page's version of Daybook. The worker must have the same version, otherwise opening fails with
   * `assets-mismatch`.
   */
  readonly version: string
  readonly name: string
  readonly scope: Scope
  readonly durability: 'relaxed' | 'strict'
  readonly timeZone: string
  readonly onUnavailable: 'reject' | 'memory'
  /** Id of the tab; also names the Web Lock that the tab's worker holds while it lives (`aliveLock`). */
  readonly tab: string
  /** The page had the book open before it slept. */
  readonly isBack: boolean
  readonly sync?: {
    readonly url: string
    /** Empty if the page fetches the key (`syncKey`). */
    readonly key: string
    readonly background?: boolean | { readonly key: string }
  } & SyncPreferences
  readonly embedder?: EmbedderOptions
  readonly llm?: BrowserLlmOptions
  readonly passphrase?: string | undefined
  readonly checkpoint?: boolean
  /** False: the book keeps no access log. For measurements only. */
  readonly isAudited?: boolean
  readonly secrets?: SecretMode
  readonly activity?: boolean
  readonly room?: Partial<RoomSize>
  readonly pool?: { readonly tabs?: boolean; readonly edge?: boolean }
  /** Whether this browser stored the book before: if the file is missing then, the book was evicted. */
  readonly existedBefore: boolean
  /** Optional functions that this page offers. */
  readonly offers: readonly PageOffer[]
}

/** The language model of the page, called by the worker. */
export interface PageModel {
  /** Fetches the key of a model that is used over HTTP. */
  key(): Promise<string>
  /** Asks the browser's model. `number` identifies the question for `abort`. */
  answer(number: number, question: LlmQuestion): Promise<Reply<string>>
  abort(number: number): void
}

/** `PageEmbedder` as the worker sees it, over Comlink. */
export interface FarPageEmbedder {
  start(failed: (why: string) => void): Promise<MessagePort>
  end(): Promise<void>
}

/**
 * Parts that can't be sent to the worker and stay with the page: functions that fetch keys, and objects that
 * only a page can create.
 */
export interface PageOffers {
  /** Fetches the key of the mirror; `embedderKey`: of the embedder. */
  syncKey(): Promise<string>
  embedderKey(): Promise<string>
  readonly model: PageModel
  readonly modelWorker: FarPageEmbedder
}
export type PageOffer = keyof PageOffers

/** The functions of the page that its worker may call. */
export interface PageDoor extends PageOffers {
  hear(event: BookEvent): void
  /** Gets a port to the hub of this origin's tabs; undefined without a hub. */
  joinHub(): Promise<MessagePort | undefined>
}

/** Name of the Web Lock of a tab's worker. When another request gets this lock, the worker has ended. */
export const aliveLock = (tab: string) => `daybook:alive:${tab}`

/** Runs a verb of a tool through the page, which adds the caller's token and the requestId of the step. */
export type ToolVerb = (id: string, input: unknown, step: number) => Promise<Reply>

/** The functions of the worker that its page may call. */
export interface WorkerDoor {
  open(request: OpenRequest, page: PageDoor): Promise<Reply<BookTable>>
  /**
   * Runs calls of one capability together, so that writes share a transaction. The page has the outcomes of
   * all calls below `settled`.
   */
  call(id: string, calls: readonly CallMessage[], settled: number): Promise<Reply[]>
  abort(number: number): void
  /** The functions of `ToolSource`, in the worker. */
  listTools(sets: readonly ToolSetName[]): Promise<Reply<readonly ToolText[]>>
  runTool(
    sets: readonly ToolSetName[],
    name: string,
    input: unknown,
    verb: ToolVerb,
  ): Promise<Reply<ToolOutcome>>
  /** Sets whether a service worker may send pending requests when no page is open. */
  allowBackground(isAllowed: boolean): void
  /**
   * Hands over changes that the mirror hasn't acknowledged to the service worker. True if there were such
   * changes. Call it when the page is hidden.
   */
  spill(): Promise<boolean>
  /**
   * Hands over pending changes and closes the book. `isBack`: the page goes to sleep, and may repeat its
   * calls later.
   */
  close(isBack: boolean): Promise<void>
}
