// Options of a page's book, split into data for the worker and parts that stay with the page.
import { bookScope, checkBookName } from '../../../core/book.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { RoomSize } from '../../../core/capability/port/room-port.ts'
import { roomOption } from '../../../commons/room/room-size.ts'
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
  /** One book = one database, one mirror: 1 to 64 letters, digits, `.`, `_`, `-`. */
  readonly name: string
  /**
   * Default scope of stored records: the agent, its session, and the resource they are about. Default agent
   * `agent`.
   */
  readonly agent?: string
  readonly session?: string
  readonly resource?: string
  /** Action without durable storage. Default `reject`: with `storage-unavailable`. */
  readonly onUnavailable?: 'reject' | 'memory'
  /** `durable` rejects everything else, like `onUnavailable: 'reject'`, but as an explicit demand. */
  readonly require?: 'durable'
  /**
   * `relaxed` (default) survives a killed tab or browser; `strict` also waits for the flush at each commit.
   */
  readonly durability?: 'relaxed' | 'strict'
  /**
   * Time zone for dates without a time, counts of a day and words such as `yesterday`: an IANA name
   * (`Europe/Berlin`). Default: that of the browser. The owner tab's zone applies to all tabs.
   */
  readonly timeZone?: string
  /**
   * Guards the keys that encrypt sensitive records. Without one they are sealed by a key of this browser that
   * no script can read. A wrong one is `wrong-passphrase`; without the right one sensitive records are
   * `locked`, others aren't.
   */
  readonly passphrase?: string
  /**
   * Action when a record to store contains a secret of known form (a provider's key, a private key, a
   * password in a URL, a card number). `seal`: the record becomes sensitive, and is encrypted. `mask`: a mark
   * replaces the secret. `warn`: it is stored, and `on('secret')` reports it. `off`: no check. Default
   * `seal`, and `mask` while the book is locked.
   */
  readonly secrets?: SecretMode
  /**
   * False: recalls and contexts aren't logged. Default: they are, for 7 days and 10,000 of them at most, in
   * this browser only, sealed when the book is (`book.activity`). The owner tab decides.
   */
  readonly activity?: boolean
  /** The mirror: address of the edge, its key or a function that gets it, and when and what to sync. */
  readonly sync?: {
    readonly url: string
    readonly key: string | (() => Promise<string>)
    /**
     * Sends pending changes without an open page, if the browser has Background Sync and the page a service
     * worker that calls `serveBackgroundSync`. Default false. With `true` that service worker must get a key
     * itself. A `key` given here is in IndexedDB, readable for every script of this origin, while changes are
     * pending, a week at most: use a control token that may only sync, and expires.
     */
    readonly background?: boolean | { readonly key: string }
  } & SyncPreferences
  /**
   * Size of the meeting room: messages kept (`slots`, default 100), bytes of one (`slotBytes`, default
   * 1,024), `participants` (default 32). The first of several tabs decides.
   */
  readonly room?: Partial<RoomSize>
  /**
   * Connections to the agents of other books. `tabs`: open books of this origin; `edge`: over the live line
   * to the mirror, to other devices of this book. Default none: envelopes wait in the outbox. The first of
   * several tabs decides.
   */
  readonly pool?: { readonly tabs?: boolean; readonly edge?: boolean }
  /** Gives records vectors. Default none: recall is by full text, and nothing leaves the machine. */
  readonly embedder?: EmbedderOptions
  /**
   * A language model for summaries and profiles: behind an OpenAI-compatible endpoint, or the browser's own.
   * Default none: fixed algorithms do that work. The owner tab's model serves all tabs.
   */
  readonly llm?: BrowserLlmOptions
  /**
   * Keeps a copy of the records beside the book, updated when idle, to restore records of a damaged file. It
   * takes up to half of the book's size, if there is space for twice that. Default true without `sync`: with
   * it, the mirror is the copy.
   */
  readonly checkpoint?: boolean
  /**
   * URL of a folder with the files that `npx daybook assets <folder>` copies: worker, hub of the tabs and
   * WASM, all of this version. Needed with esbuild, Bun and others that don't copy the worker. Another origin
   * must allow this one to read it (CORS). Default: where the bundler put them, or beside `index.js`.
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
  // `checkBookName` checks names.
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

export type OpenedRequest = Omit<LinkRequest, 'tab' | 'isBack' | 'existedBefore'>

/** Parts that stay with the page. */
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

/** Data for every worker of the page; some workers get more. */
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
    ...defined({ passphrase, checkpoint, secrets, activity, room, pool }),
  }
}

type Key = string | (() => Promise<string>) | undefined

const fetcherOf = (key: Key) => (typeof key === 'function' ? key : undefined)

const keyOf = (options: EmbedderOptions | BrowserLlmOptions | undefined): Key =>
  options && 'key' in options ? options.key : undefined

/** A function can't be sent to the worker; a function that fetches a key stays with the page. */
function withoutFetcher<Options extends EmbedderOptions | BrowserLlmOptions>(options: Options): Options {
  if ('start' in options) return { ...options, start: undefined }
  return typeof keyOf(options) === 'function' ? { ...options, key: 'fetched' } : options
}

/** Starts the worker of a local embedding model. */
function pageEmbedderOf(embedder: EmbedderOptions | undefined): PageEmbedder | undefined {
  return embedder?.provider === 'local' && embedder.start ? createPageEmbedder(embedder.start) : undefined
}

/** Serves the worker: answers of the browser's model, or the key of another model. */
function pageModelOf(llm: BrowserLlmOptions | undefined): (PageModel & { close(): void }) | undefined {
  const key = fetcherOf(keyOf(llm))
  if (llm?.provider !== 'browser' && !key) return undefined
  const languages = llm?.provider === 'browser' ? llm : {}
  return { ...createPageModel(languages), key: key ?? (() => Promise.resolve('')) }
}
