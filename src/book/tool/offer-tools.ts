// `book.offerTools`: tools for the browser's agent (WebMCP), through `document.modelContext`.
// Invariant: only tools that a token permits are offered; they end with the token, with `close`, and with the handle
// or the book.
import type { AbortSignalLike } from '../../core/abort.ts'
import { DaybookError, isDaybookError, toDaybookError, invalidInput } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { listOption, optionsOf, textOption } from '../../core/option-check.ts'
import { type EndSignal } from '../book-end.ts'
import type { DoorRights } from './door-right.ts'
import { setsOf, type ToolSetOptions, toolSetTable } from './model-tools.ts'
import { type ToolBelt, type ToolDoor, type ToolText, createToolBelt, failureText } from './tool-source.ts'

export interface OfferOptions extends ToolSetOptions {
  /** Origins whose frames may also find and call the tools. Default: none. */
  readonly exposedTo?: readonly string[] | undefined
}

export interface OfferedTools extends Disposable {
  /** False if this browser doesn't support tools of pages: then nothing is offered, without an error. */
  readonly isSupported: boolean
  /** Currently offered tools; fewer after the token is narrowed, none after it is revoked. */
  readonly names: readonly string[]
  /** Withdraws the tools. */
  close(): void
}

/** The used part of `document.modelContext`. */
interface ModelContext {
  registerTool(
    tool: object,
    options: { readonly signal: unknown; readonly exposedTo?: readonly string[] },
  ): Promise<unknown> | undefined
}

interface Aborter {
  readonly signal: AbortSignalLike
  abort(reason?: unknown): void
}

/** The used globals of a page. */
export interface OfferHost {
  readonly document?: { readonly modelContext?: ModelContext }
  readonly AbortController?: new () => Aborter
}

const checkOptions = optionsOf<OfferOptions>({ ...toolSetTable, exposedTo: listOption(textOption(300)) })

/** Throws `invalid-input` with the path of the wrong option. */
export const checkOfferOptions = (options: unknown): void => checkOptions(options, 'options')

export async function offerTools(
  door: ToolDoor,
  options: OfferOptions,
  end: EndSignal,
  host: OfferHost,
): Promise<OfferedTools> {
  const { rights } = door
  if (!rights) {
    throw invalidInput(
      'options.as',
      'A browser’s agent gets tools under a control token only, never the owner’s book',
    )
  }
  const belt = createToolBelt(door, setsOf(options))
  const context = host.document?.modelContext
  const Controller = host.AbortController
  if (!context || !Controller) {
    // Wrong sets and a token that is not valid are errors in every browser.
    await belt.list()
    return notOffered
  }
  const offer = new Offer({ belt, rights, context, Controller, exposedTo: options.exposedTo })
  await offer.begin(end)
  return offer
}

const notOffered: OfferedTools = {
  isSupported: false,
  names: [],
  close: () => undefined,
  [Symbol.dispose]: () => undefined,
}

interface OfferParts {
  readonly belt: ToolBelt
  readonly rights: DoorRights
  readonly context: ModelContext
  readonly Controller: new () => Aborter
  readonly exposedTo: readonly string[] | undefined
}

class Offer implements OfferedTools {
  readonly isSupported = true
  readonly #parts: OfferParts
  /** Offered tools by name; aborting withdraws the tool. */
  readonly #offered = new Map<string, Aborter>()
  /** Functions that remove this offer's listeners. */
  readonly #removers: (() => void)[] = []
  #isClosed = false
  /** The last update of the offered tools: updates run one after another. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: OfferParts) {
    this.#parts = parts
  }

  get names(): readonly string[] {
    return [...this.#offered.keys()]
  }

  /** Offers the tools. If the page already has a tool of the same name, rejects with `conflict` and offers none. */
  async begin(end: EndSignal): Promise<void> {
    this.#removers.push(
      end.onEnd(() => this.close()),
      // Listen before the first list, so that no change of the rights is missed.
      this.#parts.rights.onChange(() => this.#follow()),
    )
    const adding = this.#addAll()
    // Updates wait for the first tools.
    this.#last = adding.catch(() => undefined)
    try {
      await adding
    } catch (error) {
      this.close()
      throw error
    }
    // If the book had ended already, `onEnd` called `close` before the listeners were stored: remove them now.
    if (this.#isClosed) this.close()
  }

  async #addAll(): Promise<void> {
    for (const text of await this.#parts.belt.list()) await this.#add(text)
  }

  close(): void {
    this.#isClosed = true
    for (const remove of this.#removers.splice(0)) remove()
    for (const name of this.names) this.#remove(name)
  }

  [Symbol.dispose](): void {
    this.close()
  }

  async #add(text: ToolText): Promise<void> {
    if (this.#isClosed || this.#offered.has(text.name)) return
    const { context, Controller, exposedTo } = this.#parts
    const { isQuoted: quotesRecords } = text
    const aborter = new Controller()
    this.#offered.set(text.name, aborter)
    try {
      await context.registerTool(
        {
          name: text.name,
          description: text.description,
          inputSchema: text.input,
          annotations: { readOnlyHint: text.readsOnly, untrustedContentHint: quotesRecords },
          execute: (input: unknown, client?: { readonly signal?: AbortSignalLike }) =>
            this.#run(text.name, input, client?.signal),
        },
        { signal: aborter.signal, ...(exposedTo ? { exposedTo } : {}) },
      )
    } catch (cause) {
      this.#offered.delete(text.name)
      throw refusal(text.name, cause)
    }
  }

  #remove(name: string): void {
    const aborter = this.#offered.get(name)
    this.#offered.delete(name)
    aborter?.abort()
  }

  /** Runs a tool. Resolves to an answer in the format of the Model Context Protocol, which browsers' agents know. */
  async #run(name: string, input: unknown, signal: AbortSignalLike | undefined): Promise<unknown> {
    try {
      if (this.#isClosed) throw new DaybookError('book-closed', 'The tools of this book were withdrawn.')
      // A verb that fails throws. `isFailure`: the tool has a form of its own for errors, and answered with it.
      const { value, texts, isFailure } = await this.#parts.belt.run(name, input, signal ? { signal } : {})
      return answerOf(texts, value, isFailure)
    } catch (error) {
      // A token may expire without an event.
      if (isDaybookError(error, 'unauthorized')) this.#follow()
      const { text, value } = failureText(error)
      return answerOf([text], value, true)
    }
  }

  /** Offers the currently permitted tools; none if the rights can't be read. */
  #follow(): void {
    this.#last = this.#last.then(async () => {
      if (this.#isClosed) return
      const texts = await this.#parts.belt.list().catch(() => [])
      const names = new Set(texts.map(({ name }) => name))
      for (const name of this.names) if (!names.has(name)) this.#remove(name)
      // If the page has a tool of the same name meanwhile, the page's tool stays.
      for (const text of texts) await this.#add(text).catch(() => undefined)
    })
  }
}

function answerOf(texts: readonly string[], value: unknown, isError: boolean) {
  const content = texts.map((text) => ({ type: 'text', text }))
  // Editions of the protocol before 2026 accept only an object.
  const structuredContent = isJsonObject(value) ? value : { result: value ?? null }
  return { content, structuredContent, ...(isError ? { isError } : {}) }
}

/** The error for a tool that the browser refused. */
function refusal(name: string, cause: unknown): DaybookError {
  const kind = cause instanceof Error ? cause.name : ''
  const details = { path: 'options.set', tool: name }
  if (kind === 'InvalidStateError') {
    return new DaybookError('conflict', `This page already has a tool \`${name}\`.`, { details, cause })
  }
  if (kind === 'NotAllowedError' || kind === 'SecurityError') {
    const message = 'The permissions policy of this page (`tools`) forbids offering tools.'
    return new DaybookError('forbidden', message, { details, cause })
  }
  return toDaybookError(cause)
}
