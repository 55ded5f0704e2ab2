// What page and worker say to each other over Comlink. Outcomes are values: an error keeps all its fields.
import type { CapabilityEffect } from '../../../core/capability/capability.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import type { LlmQuestion } from '../../../core/ports.ts'
import type { RoomSize } from '../../../core/capability/port/room-port.ts'
import type { Scope } from '../../../core/record.ts'
import type { ToolOutcome, ToolSetName, ToolText } from '../../../book/tool/tool-source.ts'
import type { CallMessage, Reply } from '../../../book/share/line-message.ts'
import type { SecretMode } from '../../../core/secret/stored-secrets.ts'
import type { SyncPreferences } from '../../../sync/device/sync-plan.ts'
import type { EmbedderOptions } from '../../../recall/embed/embedder-options.ts'
import type { LlmOptions } from '../../../memory/conversation/llm/llm-options.ts'

export interface ModelLanguages {
  /** Languages that are read and written, as BCP 47 tags; default what the browser takes for granted. */
  readonly languages?: readonly string[]
}

export interface BuiltInOptions extends ModelLanguages {
  /** Milliseconds until a question is given up; default 60,000. */
  readonly deadlineMs?: number
  /** Most characters of text for one question; default 6,000: these models are small. */
  readonly limitChars?: number
}

/** As on every host, or the model that the browser brings along. */
export type BrowserLlmOptions = LlmOptions | ({ readonly provider: 'browser' } & BuiltInOptions)

export interface OpenRequest {
  /** The version of Daybook that the page runs; its worker's must be the same. */
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
  /** False: no log of access is kept. For measurements. */
  readonly isAudited?: boolean
  readonly secrets?: SecretMode
  readonly activity?: boolean
  readonly room?: Partial<RoomSize>
  readonly pool?: { readonly tabs?: boolean; readonly edge?: boolean }
  /** The page knows that a book of this name was written here before. */
  readonly wasKept: boolean
  /** What this page may be asked for, beside what every page may. */
  readonly offers: readonly PageOffer[]
}

/** One row for each way a capability hangs on a book: method, id, effect. */
export type MethodRow = readonly [method: string, id: string, effect: CapabilityEffect]

/** The page's model as its worker asks it. */
export interface PageModel {
  /** Fetches the key of a model over HTTP. */
  key(): Promise<string>
  /** Asks the browser's model; `number` names the question for `abort`. */
  answer(number: number, question: LlmQuestion): Promise<Reply<string>>
  abort(number: number): void
}

/** `PageEmbedder` as the worker asks it. */
export interface FarPageEmbedder {
  start(failed: (why: string) => void): Promise<MessagePort>
  end(): Promise<void>
}

/** What can't be sent to the worker, and stays with the page: functions that fetch keys, and what only a page can start. */
export interface PageOffers {
  /** Fetches the key of the mirror, and that of the embedder. */
  syncKey(): Promise<string>
  embedderKey(): Promise<string>
  readonly model: PageModel
  readonly modelWorker: FarPageEmbedder
}
export type PageOffer = keyof PageOffers

/** The page as its worker sees it. */
export interface PageDoor extends PageOffers {
  hear(event: BookEvent): void
  /** The page's way to other tabs, asked for once there are others. */
  joinHub(): Promise<MessagePort | undefined>
}

/** The Web Lock of a tab's worker: who is granted it knows that the worker is gone. */
export const aliveLock = (tab: string) => `daybook:alive:${tab}`

/** A verb that a tool asks for, run by the page: under the name that its calls have, and by the token of who asked. */
export type ToolVerb = (id: string, input: unknown, step: number) => Promise<Reply>

/** The worker as the page sees it. */
export interface WorkerDoor {
  open(request: OpenRequest, page: PageDoor): Promise<Reply<MethodRow[]>>
  /**
   * Calls of one capability that were made together; they share a transaction where they write. The page has the outcomes
   * of all calls below `settled`.
   */
  call(id: string, calls: readonly CallMessage[], settled: number): Promise<Reply[]>
  abort(number: number): void
  /** `ToolSource`, whose tables are beside the engine. */
  listTools(sets: readonly ToolSetName[]): Promise<Reply<readonly ToolText[]>>
  runTool(
    sets: readonly ToolSetName[],
    name: string,
    input: unknown,
    verb: ToolVerb,
  ): Promise<Reply<ToolOutcome>>
  /** Whether the page has a service worker that sends when it is gone. */
  allowBackground(isAllowed: boolean): void
  /** The page goes out of sight: what the mirror has not acknowledged is handed over. True when something was. */
  spill(): Promise<boolean>
  /** `isBack`: the page is put to sleep, and may make its calls again. */
  close(isBack: boolean): Promise<void>
}
