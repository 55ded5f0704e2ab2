// What a page opens its book with, and what of it goes to the worker: what can be sent, and what stays with the page.
import { bookScope, checkBookName } from '../../../core/book.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { RoomSize } from '../../../core/capability/port/room-port.ts'
import { roomOption } from '../../../commons/room/room-size.ts'
import { type SecretMode, secretModes } from '../../../core/secret/stored-secrets.ts'
import {
  anyOption,
  flagOption,
  listOption,
  numberOption,
  optionsOf,
  scopeOptionTable,
  signalOption,
  textOption,
  typedOption,
  variantOption,
  wordOption,
} from '../../../core/option/option-check.ts'
import { llmOptionChecks } from '../../../memory/conversation/llm/llm-option-check.ts'
import { embedderOption, type EmbedderOptions } from '../../../recall/embed/embedder-options.ts'
import { mirrorOptionTable, type SyncPreferences } from '../../../sync/device/sync-plan.ts'
import { openZone } from '../../../web/web-zone.ts'
import { createPageModel } from '../model/built-in-model.ts'
import { createPageEmbedder, type PageEmbedder } from '../model/page-embedder.ts'
import type { BrowserLlmOptions, PageModel } from '../wire/message.ts'
import type { LinkRequest, PageGiven } from './worker-link.ts'

export interface OpenOptions {
  /** One book = one database, one mirror: 1 to 64 letters, digits, `.`, `_`, `-`. */
  readonly name: string
  /** Default scope of what is stored: whose it is, which run, about whom. Default agent `agent`. */
  readonly agent?: string
  readonly session?: string
  readonly resource?: string
  /** What to do where the browser gives no durable storage. Default `reject`: with `storage-unavailable`. */
  readonly onUnavailable?: 'reject' | 'memory'
  /** `durable` rejects everything else; it is what `onUnavailable: 'reject'` does, said as a demand. */
  readonly require?: 'durable'
  /** `relaxed` (default) survives a killed tab or browser; `strict` also waits for the flush at each commit. */
  readonly durability?: 'relaxed' | 'strict'
  /**
   * Whose days are meant by dates without a time, by counts of a day and by words such as `yesterday`: a name of the IANA
   * database (`Europe/Berlin`). Default that of the browser. While this tab holds the book, it is the zone of all tabs.
   */
  readonly timeZone?: string
  /**
   * Guards the keys that encrypt sensitive records. Without one they lie under a key of this browser that no script can
   * read. A wrong one is `wrong-passphrase`; without the right one, sensitive records are `locked` and all others are not.
   */
  readonly passphrase?: string
  /**
   * What is done when something to be stored holds a secret of known form (a provider's key, a private key, a password in an
   * address, a card number). `seal`: its record becomes sensitive, and is encrypted. `mask`: a mark takes its place. `warn`:
   * it is stored, and `on('secret')` tells. `off`: nobody looks. Default `seal`, and `mask` while the book is locked.
   */
  readonly secrets?: SecretMode
  /**
   * False: recalls and contexts are not kept as they were asked. Default: they are, for 7 days and 10,000 of them at most, in this
   * browser alone, sealed when the book is (`book.activity`). It is as the tab says that holds the book.
   */
  readonly activity?: boolean
  /** The mirror: base address of the edge, the key or how to get it, and when and what to sync. */
  readonly sync?: {
    readonly url: string
    readonly key: string | (() => Promise<string>)
    /**
     * Sends what waits with no page open, where the browser has Background Sync and the page a service worker that calls
     * `serveBackgroundSync`. Default false. With `true` that service worker must know how to get a key; a `key` given
     * here lies in IndexedDB, readable for every script of this origin, as long as something waits, a week at most:
     * make it a control token that may do nothing but sync, and ends.
     */
    readonly background?: boolean | { readonly key: string }
  } & SyncPreferences
  /**
   * How large the meeting room is: messages kept (`slots`, default 100), bytes of one (`slotBytes`, default 1,024), `participants`
   * (default 32). It is as the first of several tabs asked for.
   */
  readonly room?: Partial<RoomSize>
  /**
   * The ways to the agents of other books. `tabs`: the books of this origin that are open; `edge`: over the live line to the
   * mirror, to the other devices of this book. Default none: envelopes wait in the outbox. It is as the first of several tabs
   * asked for.
   */
  readonly pool?: { readonly tabs?: boolean; readonly edge?: boolean }
  /** What gives records vectors. Default none: recall is by full text, and nothing leaves the machine. */
  readonly embedder?: EmbedderOptions
  /**
   * A language model for summaries and profiles: one behind an OpenAI-compatible endpoint, or the browser's own. Default
   * none: stated algorithms do that work. While this tab holds the book, it is the model of all tabs.
   */
  readonly llm?: BrowserLlmOptions
  /**
   * Keeps a copy of the records beside the book, brought up to date in idle moments, from which comes back what can't be read
   * in a damaged file. It takes up to half of what the book takes, as long as there is space for twice that. Default true
   * without `sync`: with it, the mirror is the copy.
   */
  readonly checkpoint?: boolean
  /**
   * Address of a folder with the files that `npx daybook assets <folder>` copies: worker, hub of the tabs and WASM, all of
   * this version. Needed with esbuild, Bun and others that leave the worker behind. It may be of another origin that allows
   * this one to read it (CORS). Default: where the bundler put them, or beside `index.js`.
   */
  readonly assets?: string
  readonly signal?: AbortSignal
}

const llmCheck = variantOption('provider', {
  ...llmOptionChecks,
  browser: optionsOf<Extract<BrowserLlmOptions, { provider: 'browser' }>>({
    provider: anyOption,
    languages: listOption(textOption(100)),
    deadlineMs: numberOption(1, 600_000),
    limitChars: numberOption(100, 10_000_000),
  }),
})

const checkOptions = optionsOf<OpenOptions>({
  ...scopeOptionTable,
  // `checkBookName` says what a name is.
  name: anyOption,
  onUnavailable: wordOption('reject', 'memory'),
  require: wordOption('durable'),
  durability: wordOption('relaxed', 'strict'),
  timeZone: textOption(100),
  secrets: wordOption(...secretModes),
  activity: flagOption,
  room: roomOption,
  pool: optionsOf({ tabs: flagOption, edge: flagOption }),
  passphrase: textOption(1024),
  sync: optionsOf<NonNullable<OpenOptions['sync']>>(
    {
      ...mirrorOptionTable,
      background: typedOption({ boolean: flagOption, object: optionsOf({ key: textOption(8000) }, ['key']) }),
    },
    ['url', 'key'],
  ),
  embedder: embedderOption,
  llm: llmCheck,
  checkpoint: flagOption,
  assets: textOption(2000),
  signal: signalOption,
})

export type OpenedRequest = Omit<LinkRequest, 'tab' | 'isBack' | 'wasKept'>

/** What stays with the page. */
export interface PageOwned {
  readonly given: PageGiven
  /** Lets go of the page's language model. */
  close(): void
}

export function pageOwnedOf({ sync, embedder, llm }: OpenOptions): PageOwned {
  const syncKey = fetcherOf(sync?.key)
  const embedderKey = fetcherOf(keyOf(embedder))
  const modelWorker = pageEmbedderOf(embedder)
  const model = pageModelOf(llm)
  return {
    given: {
      ...(syncKey ? { syncKey } : {}),
      ...(embedderKey ? { embedderKey } : {}),
      ...(model ? { model } : {}),
      ...(modelWorker ? { modelWorker } : {}),
    },
    close: () => model?.close(),
  }
}

/** What the worker is told of the book; what only one worker of the page is told, is added to it. */
export function openRequestOf(options: OpenOptions): OpenedRequest {
  checkOptions(options, '')
  if (options.require === 'durable' && options.onUnavailable === 'memory') {
    throw new DaybookError(
      'invalid-input',
      "`require: 'durable'` and `onUnavailable: 'memory'` exclude each other.",
      {
        details: { path: 'onUnavailable' },
      },
    )
  }
  const { sync, embedder, llm, passphrase, checkpoint, secrets, activity, room, pool } = options
  return {
    name: checkBookName(options.name),
    scope: bookScope(options),
    durability: options.durability ?? 'relaxed',
    timeZone: openZone(options.timeZone).name,
    onUnavailable: options.onUnavailable ?? 'reject',
    ...(sync ? { sync: { ...sync, key: typeof sync.key === 'string' ? sync.key : '' } } : {}),
    ...(embedder ? { embedder: withoutFetcher(embedder) } : {}),
    ...(llm ? { llm: withoutFetcher(llm) } : {}),
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(checkpoint === undefined ? {} : { checkpoint }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(activity === undefined ? {} : { activity }),
    ...(room === undefined ? {} : { room }),
    ...(pool === undefined ? {} : { pool }),
  }
}

type Key = string | (() => Promise<string>) | undefined

const fetcherOf = (key: Key) => (typeof key === 'function' ? key : undefined)

const keyOf = (options: EmbedderOptions | BrowserLlmOptions | undefined): Key =>
  options && 'key' in options ? options.key : undefined

/** A function can't be sent to the worker; one that fetches the key is handed over beside the options. */
function withoutFetcher<Options extends EmbedderOptions | BrowserLlmOptions>(options: Options): Options {
  if ('start' in options) return { ...options, start: undefined }
  return typeof keyOf(options) === 'function' ? { ...options, key: 'fetched' } : options
}

/** What starts the worker of a local embedding model. */
function pageEmbedderOf(embedder: EmbedderOptions | undefined): PageEmbedder | undefined {
  return embedder?.provider === 'local' && embedder.start ? createPageEmbedder(embedder.start) : undefined
}

/** What the worker asks the page for: answers of the browser's model, or the key of another. */
function pageModelOf(llm: BrowserLlmOptions | undefined): (PageModel & { close(): void }) | undefined {
  const key = fetcherOf(keyOf(llm))
  if (llm?.provider !== 'browser' && !key) return undefined
  const languages = llm?.provider === 'browser' ? llm : {}
  return { ...createPageModel(languages), key: key ?? (() => Promise.resolve('')) }
}
