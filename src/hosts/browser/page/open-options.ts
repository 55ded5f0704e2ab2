// Checks the options of a page's book, and splits them into data for the worker and parts that stay with the
// page.
import { passphraseLength } from '../../../core/sealed.ts'
import { bookScope, checkBookName } from '../../../core/book.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { RoomSize } from '../../../core/capability/port/room-port.ts'
import { checkRoomOption } from '../../../commons/room/room-size.ts'
import { defined } from '../../../core/defined.ts'
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
} from '../../../core/option-check.ts'
import { llmOptionChecks } from '../../../memory/conversation/llm/llm-option-check.ts'
import { embedderOption, type EmbedderOptions } from '../../../recall/embed/embedder-options.ts'
import { mirrorOptionTable, type SyncPreferences } from '../../../sync/device/sync-plan.ts'
import { openZone } from '../../../web/web-zone.ts'
import { createPageModel } from '../model/built-in-model.ts'
import { createPageEmbedder, type PageEmbedder } from '../model/page-embedder.ts'
import type { BrowserLlmOptions, PageModel } from '../worker-message.ts'
import type { LinkRequest, PageParts } from './worker-link.ts'

export interface OpenOptions {
  /**
   * The book's name: 1 to 64 letters, digits, `.`, `_`, `-`. Each book has its own database and its own
   * mirror.
   */
  readonly name: string
  /**
   * Default scope of stored records: the agent, its session, and the resource that the records are about.
   * Default `agent`: 'agent'; `session`, `resource`: none.
   */
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly resource?: string | undefined
  /**
   * Action without durable storage. `reject` (default): `openDaybook` rejects with `storage-unavailable`.
   * `memory`: the book is lost when its last tab is closed.
   */
  readonly onUnavailable?: 'reject' | 'memory' | undefined
  /**
   * `durable`: the same as `onUnavailable: 'reject'`, stated explicitly. `invalid-input` together with
   * `onUnavailable: 'memory'`.
   */
  readonly require?: 'durable' | undefined
  /**
   * `relaxed` (default): commits survive a killed tab or browser. `strict`: each commit also waits until the
   * disk has it.
   */
  readonly durability?: 'relaxed' | 'strict' | undefined
  /**
   * Time zone for dates without a time, counts of a day and words such as `yesterday`: an IANA name
   * (`Europe/Berlin`). Default: the browser's time zone. The owner tab's zone applies to all tabs.
   */
  readonly timeZone?: string | undefined
  /**
   * Protects the keys that encrypt sensitive records. Default: a key of this browser that no script can read
   * protects these keys. A wrong passphrase rejects with `wrong-passphrase`. Until the right passphrase is
   * given, sensitive records are `locked`; other records aren't.
   */
  readonly passphrase?: string | undefined
  /**
   * Action when a record to store contains a secret of known form (a provider's key, a private key, a
   * password in a URL, a card number). `seal`: the record becomes sensitive, and is encrypted. `mask`: a mark
   * replaces the secret. `warn`: the secret is stored, and `on('secret')` reports it. `off`: no check.
   * Default `seal`, and `mask` while the book is locked.
   */
  readonly secrets?: SecretMode | undefined
  /**
   * Whether recalls and contexts are logged (`book.activity`). Default true: at most 10,000 entries of the
   * last 7 days, in this browser only, sealed if the book is sealed. The owner tab's option applies to all
   * tabs.
   */
  readonly activity?: boolean | undefined
  /**
   * The mirror: `url` of the edge, `key` or a function that fetches the key, and when and what to sync.
   * Default: no mirror.
   */
  readonly sync?: {
    readonly url: string
    readonly key: string | (() => Promise<string>)
    /**
     * Sends pending changes without an open page, if the browser has Background Sync and the page a service
     * worker that calls `serveBackgroundSync`. Default false. With `true` that service worker must fetch a
     * key itself. With `key`: IndexedDB stores that key while changes are pending, at most a week, and every
     * script of this origin can read the key there: use a control token that may only sync, and expires.
     */
    readonly background?: boolean | { readonly key: string }
  } & SyncPreferences
  /**
   * Size of the meeting room: `slots`, messages kept (default 100); `slotBytes`, most bytes of a message
   * (default 1,024); `participants` (default 32). The first tab's option applies to all tabs.
   */
  readonly room?: Partial<RoomSize> | undefined
  /**
   * Connections to the agents of other books. `tabs`: open books of this origin; `edge`: over the live line
   * to the mirror, to other devices of this book. Default none: envelopes wait in the outbox. The first tab's
   * option applies to all tabs.
   */
  readonly pool?: { readonly tabs?: boolean; readonly edge?: boolean } | undefined
  /**
   * Computes the vectors of records. Default none: recall uses full text only, and no text is sent to an
   * embedder.
   */
  readonly embedder?: EmbedderOptions | undefined
  /**
   * A language model for summaries and profiles: behind an OpenAI-compatible endpoint, or the browser's own.
   * Default none: fixed algorithms make summaries and profiles. The owner tab's model serves all tabs.
   */
  readonly llm?: BrowserLlmOptions | undefined
  /**
   * Keeps a copy of the records beside the book, updated when idle, to restore records of a damaged file. The
   * copy takes up to half of the book's size; it is made if the browser has space for twice the book's size.
   * Default: true without `sync`, false with `sync`, because then the mirror has a copy. A book in IndexedDB has none.
   */
  readonly checkpoint?: boolean | undefined
  /**
   * URL of a folder with the files that `npx daybook assets <folder>` copies: worker, hub of the tabs and
   * WASM, all of this version. Needed with esbuild, Bun and other bundlers that don't copy the worker. A
   * server of another origin must allow this page's origin to read the files (CORS). Default: the place where
   * the bundler put the files, or beside `index.js`. `invalid-input` for an invalid URL.
   */
  readonly assets?: string | undefined
  /** Cancels the opening. Has no effect when the book is open. */
  readonly signal?: AbortSignal | undefined
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
  // `checkBookName` checks the name.
  name: anyOption,
  onUnavailable: wordOption('reject', 'memory'),
  require: wordOption('durable'),
  durability: wordOption('relaxed', 'strict'),
  timeZone: textOption(100),
  secrets: wordOption(...secretModes),
  activity: flagOption,
  room: checkRoomOption,
  pool: optionsOf({ tabs: flagOption, edge: flagOption }),
  passphrase: textOption(passphraseLength.most, passphraseLength.least),
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

/** The data for every worker of the page; each worker's start adds the rest: see `createWorkerStart`. */
export type OpenedRequest = Omit<LinkRequest, 'tab' | 'isBack' | 'existedBefore'>

/** Parts of the options that can't be sent to the worker and stay with the page. */
export interface PageOwned {
  readonly pageParts: PageParts
  /** Releases the page's language model. */
  close(): void
}

export function pageOwnedOf({ sync, embedder, llm }: OpenOptions): PageOwned {
  const syncKey = fetcherOf(sync?.key)
  const embedderKey = fetcherOf(keyOf(embedder))
  const modelWorker = pageEmbedderOf(embedder)
  const model = pageModelOf(llm)
  return {
    pageParts: {
      ...(syncKey ? { syncKey } : {}),
      ...(embedderKey ? { embedderKey } : {}),
      ...(model ? { model } : {}),
      ...(modelWorker ? { modelWorker } : {}),
    },
    close: () => model?.close(),
  }
}

/** Checks `options`, and returns the data for every worker of the page. Throws `invalid-input`. */
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
    // An empty key: the worker fetches the key from the page (`syncKey`).
    ...(sync ? { sync: { ...sync, key: typeof sync.key === 'string' ? sync.key : '' } } : {}),
    ...(embedder ? { embedder: withoutFetcher(embedder) } : {}),
    ...(llm ? { llm: withoutFetcher(llm) } : {}),
    ...defined({ passphrase, checkpoint, secrets, activity, room, pool }),
  }
}

type Key = string | (() => Promise<string>) | undefined

const fetcherOf = (key: Key) => (typeof key === 'function' ? key : undefined)

const keyOf = (options: EmbedderOptions | BrowserLlmOptions | undefined): Key =>
  options && 'key' in options ? options.key : undefined

/** Removes functions, which can't be sent to the worker: `start`, and a function that fetches a key. */
function withoutFetcher<Options extends EmbedderOptions | BrowserLlmOptions>(options: Options): Options {
  if ('start' in options) return { ...options, start: undefined }
  // `fetched`: the worker fetches the key from the page. The text passes the check of keys.
  return typeof keyOf(options) === 'function' ? { ...options, key: 'fetched' } : options
}

/** The page's side of a local embedding model; undefined for other embedders. */
function pageEmbedderOf(embedder: EmbedderOptions | undefined): PageEmbedder | undefined {
  return embedder?.provider === 'local' && embedder.start ? createPageEmbedder(embedder.start) : undefined
}

/**
 * Gives the worker the answers of the browser's model, or the key of an HTTP model. Undefined: the worker
 * needs nothing of the page.
 */
function pageModelOf(llm: BrowserLlmOptions | undefined): (PageModel & { close(): void }) | undefined {
  const key = fetcherOf(keyOf(llm))
  if (llm?.provider !== 'browser' && !key) return undefined
  const languages = llm?.provider === 'browser' ? llm : {}
  // The browser's model needs no key.
  return { ...createPageModel(languages), key: key ?? (() => Promise.resolve('')) }
}
