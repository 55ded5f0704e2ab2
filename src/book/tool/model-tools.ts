// `book.tools`: the tools of a book in the shapes in which models take them. Invariant: every shape says the same of the same
// tools; what differs is where it says it.
import {
  listOption,
  type OptionCheck,
  optionsOf,
  signalOption,
  textOption,
  typedOption,
  wordOption,
} from '../../core/option/option-check.ts'
import type { AbortSignalLike } from '../../core/abort.ts'
import {
  createToolBelt,
  failureText,
  type ToolBelt,
  type ToolCallOptions,
  type ToolDoor,
} from './tool-belt.ts'
import { type ToolSetName, toolSetNames, type ToolText, usualSets } from './tool-source.ts'

type JsonSchema = ToolText['input']

/** A tool of the chat completions of OpenAI, and of everything that speaks as they do. */
export interface OpenAiTool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonSchema }
}

/** A tool of Anthropic's messages. */
export interface AnthropicTool {
  readonly name: string
  readonly description: string
  readonly input_schema: JsonSchema
}

interface AiSdkCall {
  readonly toolCallId: string
  readonly abortSignal?: AbortSignalLike | undefined
}

/** A tool of the AI SDK, as its `jsonSchema` and `tool` would make it. */
export interface AiSdkTool {
  readonly description: string
  readonly inputSchema: { readonly jsonSchema: JsonSchema }
  /** Resolves with what the model reads; rejects with a `DaybookError`, which the SDK tells the model. */
  execute(input: unknown, call: AiSdkCall): Promise<string>
}

/** A tool of the model that the browser brings along. */
export interface PromptApiTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /** Resolves with what the model reads, which for what failed is the error: a tool that rejects ends the whole prompt. */
  execute(input: unknown): Promise<string>
}

export interface ToolShapes {
  readonly openai: readonly OpenAiTool[]
  readonly anthropic: readonly AnthropicTool[]
  readonly 'ai-sdk': Readonly<Record<string, AiSdkTool>>
  readonly 'prompt-api': readonly PromptApiTool[]
}
export type ToolFormat = keyof ToolShapes

export interface ToolSetOptions {
  /** One set of tools or several. Default `recall`. */
  readonly set?: ToolSetName | readonly ToolSetName[] | undefined
  /** The id of a stored control token, as in `book.with`: the tools that it permits, each as its holder. */
  readonly as?: string | undefined
}

export interface ToolOptions<Format extends ToolFormat = ToolFormat> extends ToolSetOptions {
  readonly format: Format
}

/** What a tool answered. */
export interface ToolAnswer {
  /** For the model. */
  readonly text: string
  /** The same as a value; for what failed, the four fields of the error. */
  readonly value: unknown
  readonly isError: boolean
}

export interface ModelTools<Format extends ToolFormat = ToolFormat> {
  /** What stands in the field `tools` of a request to a model. */
  readonly tools: ToolShapes[Format]
  /** Runs a tool that the model asked for. Rejects only when `signal` is aborted: what fails is an answer for the model. */
  call(name: string, input?: unknown, options?: ToolCallOptions): Promise<ToolAnswer>
}

const setName = wordOption(...toolSetNames)
/** Lines of the options that say which tools. */
export const toolSetTable: { readonly [Name in keyof ToolSetOptions]-?: OptionCheck } = {
  set: typedOption({ string: setName, object: listOption(setName) }),
  as: textOption(1000),
}
const checkOptions = optionsOf<ToolOptions>(
  { ...toolSetTable, format: wordOption('openai', 'anthropic', 'ai-sdk', 'prompt-api') },
  ['format'],
)
const checkCall = optionsOf<ToolCallOptions>({ requestId: textOption(200), signal: signalOption })

export function setsOf({ set = usualSets }: ToolSetOptions): readonly ToolSetName[] {
  const named = typeof set === 'string' ? [set] : set
  return named.length === 0 ? usualSets : [...new Set(named)]
}

const separately = (belt: ToolBelt) => async (name: string, input: unknown, options: ToolCallOptions) =>
  (await belt.run(name, input, options)).texts.join('\n')

/** `Symbol.for` names it, so that the SDK knows what stands for a schema of its own. */
const aiSdkSchema = Symbol.for('vercel.ai.schema')

const shapes: {
  readonly [Format in ToolFormat]: (texts: readonly ToolText[], belt: ToolBelt) => ToolShapes[Format]
} = {
  openai: (texts) =>
    texts.map(({ name, description, input }) => ({
      type: 'function',
      function: { name, description, parameters: input },
    })),
  anthropic: (texts) =>
    texts.map(({ name, description, input }) => ({ name, description, input_schema: input })),
  'ai-sdk': (texts, belt) =>
    Object.fromEntries(
      texts.map(({ name, description, input }): [string, AiSdkTool] => [
        name,
        {
          description,
          inputSchema: { jsonSchema: input, [aiSdkSchema]: true } as AiSdkTool['inputSchema'],
          // The SDK may call a tool again with the same id: it takes effect once.
          execute: (given, { toolCallId, abortSignal }) =>
            separately(belt)(name, given, {
              requestId: `ai-sdk ${toolCallId}`,
              ...(abortSignal ? { signal: abortSignal } : {}),
            }),
        },
      ]),
    ),
  'prompt-api': (texts, belt) =>
    texts.map(({ name, description, input }) => ({
      name,
      description,
      inputSchema: input,
      execute: (given) =>
        separately(belt)(name, given, {}).catch((error: unknown) => failureText(error).text),
    })),
}

/** `door` is that of the caller, its token and all. */
export async function modelTools<Format extends ToolFormat>(
  door: ToolDoor,
  options: ToolOptions<Format>,
): Promise<ModelTools<Format>> {
  const belt = createToolBelt(door, setsOf(options))
  const shape = shapes[options.format]
  const tools = shape(await belt.list(), belt)
  return {
    tools,
    async call(name, input = {}, call = {}) {
      checkCall(call, 'options')
      try {
        const { value, texts, isFailure } = await belt.run(name, input, call)
        return { text: texts.join('\n'), value, isError: isFailure }
      } catch (error) {
        if (call.signal?.aborted === true) throw error
        return { ...failureText(error), isError: true }
      }
    },
  }
}

/** Throws `invalid-input` with the path of what is wrong. */
export const checkToolOptions = (options: unknown): void => checkOptions(options, 'options')
