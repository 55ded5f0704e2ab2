// `book.tools`: the tools of a book in the formats of models.
// Invariant: every format has the same tools with the same texts.
import {
  listOption,
  type OptionCheck,
  optionsOf,
  signalOption,
  textOption,
  typedOption,
  wordOption,
} from '../../core/option-check.ts'
import type { AbortSignalLike } from '../../core/abort.ts'
import { toolRequestId } from '../../core/text/tool-request.ts'
import {
  type ToolBelt,
  type ToolCallOptions,
  type ToolDoor,
  type ToolSetName,
  type ToolText,
  createToolBelt,
  failureText,
  toolSetNames,
  usualSets,
} from './tool-source.ts'

type JsonSchema = ToolText['input']

/** A tool of OpenAI's chat completions, and of compatible APIs. */
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

/** The second argument of a tool of the AI SDK. */
interface AiSdkCall {
  readonly toolCallId: string
  /** The conversation before the call. */
  readonly messages?: unknown
  readonly abortSignal?: AbortSignalLike | undefined
}

/** A tool of the AI SDK: the same object that the SDK's functions `jsonSchema` and `tool` create. */
export interface AiSdkTool {
  readonly description: string
  readonly inputSchema: { readonly jsonSchema: JsonSchema }
  /** Resolves with the text for the model; rejects with a `DaybookError`, which the SDK passes to the model. */
  execute(input: unknown, call: AiSdkCall): Promise<string>
}

/** A tool of the browser's built-in model. */
export interface PromptApiTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /** Resolves with the text for the model, also for an error: a rejecting tool ends the whole prompt. */
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
  /** One or several tool sets. Default: `recall`. */
  readonly set?: ToolSetName | readonly ToolSetName[] | undefined
  /** Id of a stored control token, as in `book.with`: only the tools that the token permits, called as its holder. */
  readonly as?: string | undefined
}

export interface ToolOptions<Format extends ToolFormat = ToolFormat> extends ToolSetOptions {
  readonly format: Format
}

/** Result of a tool. */
export interface ToolAnswer {
  /** Text for the model. */
  readonly text: string
  /** The result as a value; for a failure, the four fields of the error. */
  readonly value: unknown
  readonly isError: boolean
}

export interface ModelTools<Format extends ToolFormat = ToolFormat> {
  /** Value of the field `tools` in a request to a model. */
  readonly tools: ToolShapes[Format]
  /**
   * Runs a tool for the model. Failures are answers for the model; rejects only for invalid options or an aborted
   * `signal`.
   */
  call(name: string, input?: unknown, options?: ToolCallOptions): Promise<ToolAnswer>
}

const setName = wordOption(...toolSetNames)
/** Checks of the options that select tools. */
export const toolSetTable: { readonly [Name in keyof ToolSetOptions]-?: OptionCheck } = {
  set: typedOption({ string: setName, object: listOption(setName) }),
  as: textOption(1000),
}
const checkOptions = optionsOf<ToolOptions>(
  { ...toolSetTable, format: wordOption('openai', 'anthropic', 'ai-sdk', 'prompt-api') },
  ['format'],
)
const checkToolName = textOption(200)
const checkCall = optionsOf<ToolCallOptions>({ requestId: textOption(200), signal: signalOption })

/** Returns the sets of the options, each once; without a set, the usual sets. */
export function setsOf({ set = usualSets }: ToolSetOptions): readonly ToolSetName[] {
  const named = typeof set === 'string' ? [set] : set
  return named.length === 0 ? usualSets : [...new Set(named)]
}

/**
 * Returns a function that runs a tool and resolves with the text for the model, also for a described error.
 */
const textRunner = (belt: ToolBelt) => async (name: string, input: unknown, options: ToolCallOptions) =>
  (await belt.run(name, input, options)).texts.join('\n')

/** The key by which the AI SDK recognises a schema. */
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
          // The SDK may repeat a call: the call takes effect once.
          execute: (args, { toolCallId, messages, abortSignal }) =>
            textRunner(belt)(name, args, {
              requestId: toolRequestId(toolCallId, name, args, messages),
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
      execute: (args) => textRunner(belt)(name, args, {}).catch((error: unknown) => failureText(error).text),
    })),
}

/** Builds the tools that the caller of `door` may call, in the format `options.format`. */
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
        checkToolName(name, 'name')
        const { value, texts, isFailure } = await belt.run(name, input, call)
        return { text: texts.join('\n'), value, isError: isFailure }
      } catch (error) {
        if (call.signal?.aborted === true) throw error
        return { ...failureText(error), isError: true }
      }
    },
  }
}

/** Throws `invalid-input` with the path of the wrong option. */
export const checkToolOptions = (options: unknown): void => checkOptions(options, 'options')
