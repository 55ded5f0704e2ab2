// Messages between page and worker over Comlink. Outcomes are values: an error keeps all its fields.
import type { CapabilityEffect } from '../../core/capability/capability.ts'
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
  /** Languages of input and output, as BCP 47 tags; default: the browser's. */
  readonly languages?: readonly string[]
}

export interface BuiltInOptions extends ModelLanguages {
  /** Time limit of a question in milliseconds; default 60,000. */
  readonly deadlineMs?: number
  /** Most characters of text in a question; default 6,000: these models are small. */
  readonly limitChars?: number
}

/** As on every host, or the browser's own model. */
export type BrowserLlmOptions = LlmOptions | ({ readonly provider: 'browser' } & BuiltInOptions)

export interface OpenRequest {
  /** The page's version of Daybook; the worker's must be the same. */
  readonly version: string
  readonly name: string
  readonly scope: Scope
  readonly durability: 'relaxed' | 'strict'
  readonly timeZone: string
  readonly onUnavailable: 'reject' | 'memory'
  /** Names the tab, and the Web Lock that its worker holds while it lives. */
  readonly tab: string
  /** The page had the book open before it slept. */
  readonly isBack: boolean
  readonly sync?: {
    readonly url: string
    readonly key: string
    readonly background?: boolean | { readonly key: string }
  } & SyncPreferences
  readonly embedder?: EmbedderOptions
  readonly llm?: BrowserLlmOptions
  readonly passphrase?: string
  readonly checkpoint?: boolean
  /** False: no access log. For measurements. */
  readonly isAudited?: boolean
  readonly secrets?: SecretMode
  readonly activity?: boolean
  readonly room?: Partial<RoomSize>
  readonly pool?: { readonly tabs?: boolean; readonly edge?: boolean }
  /** The page knows that this book was written here before. */
  readonly existedBefore: boolean
  /** Optional functions that this page offers. */
  readonly offers: readonly PageOffer[]
}

/** One row for each method of a capability: method, id, effect. */
export type MethodRow = readonly [method: string, id: string, effect: CapabilityEffect]

/** The page's model, for its worker. */
export interface PageModel {
  /** Fetches the key of a model over HTTP. */
  key(): Promise<string>
  /** Asks the browser's model; `number` names the question for `abort`. */
  answer(number: number, question: LlmQuestion): Promise<Reply<string>>
  abort(number: number): void
}

/** `PageEmbedder`, for the worker. */
export interface FarPageEmbedder {
  start(failed: (why: string) => void): Promise<MessagePort>
  end(): Promise<void>
}

/**
 * Parts that can't be sent to the worker and stay with the page: functions that fetch keys, and objects that
 * only a page can create.
 */
export interface PageOffers {
  /** Fetches the key of the mirror, or of the embedder. */
  syncKey(): Promise<string>
  embedderKey(): Promise<string>
  readonly model: PageModel
  readonly modelWorker: FarPageEmbedder
}
export type PageOffer = keyof PageOffers

/** The page, for its worker. */
export interface PageDoor extends PageOffers {
  hear(event: BookEvent): void
  /** The page's port to other tabs, requested when there are others. */
  joinHub(): Promise<MessagePort | undefined>
}

/** The Web Lock of a tab's worker: when it is granted, the worker is gone. */
export const aliveLock = (tab: string) => `daybook:alive:${tab}`

/** Runs a verb for a tool in the page, with the name of its calls and the caller's token. */
export type ToolVerb = (id: string, input: unknown, step: number) => Promise<Reply>

/** The worker, for its page. */
export interface WorkerDoor {
  open(request: OpenRequest, page: PageDoor): Promise<Reply<MethodRow[]>>
  /**
   * Runs calls of one capability together; writes share a transaction. The page has the outcomes of all calls
   * below `settled`.
   */
  call(id: string, calls: readonly CallMessage[], settled: number): Promise<Reply[]>
  abort(number: number): void
  /** `ToolSource`, with its tables beside the engine. */
  listTools(sets: readonly ToolSetName[]): Promise<Reply<readonly ToolText[]>>
  runTool(
    sets: readonly ToolSetName[],
    name: string,
    input: unknown,
    verb: ToolVerb,
  ): Promise<Reply<ToolOutcome>>
  /** Tells whether a service worker sends when the page is gone. */
  allowBackground(isAllowed: boolean): void
  /** The page is hidden: hands over changes that the mirror hasn't acknowledged. True if there were any. */
  spill(): Promise<boolean>
  /** `isBack`: the page goes to sleep, and may repeat its calls later. */
  close(isBack: boolean): Promise<void>
}
