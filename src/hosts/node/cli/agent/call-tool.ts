// `daybook mcp call`: one tool of those that `daybook mcp` serves, called from a shell as a model calls it.
import { DaybookError, errorTable } from '../../../../core/errors.ts'
import { isJsonObject } from '../../../../core/json/path.ts'
import { readSets, type ToolSetName, toolSetNames, toolsOf } from '../../../../doors/mcp/tool-set.ts'
import { type CommandContext, textOf } from '../command.ts'
import { readJsonSource } from '../record/json-source.ts'
import { UsageError } from '../usage-error.ts'

/** What the tool said when it failed: its words are the whole story. */
class ToolFailure extends Error {}

export async function callTool({
  values,
  positionals,
  terminal,
  signal,
  open,
}: CommandContext): Promise<void> {
  const [, tool = '', ...more] = positionals
  if (tool === '' || more.length > 0)
    throw new UsageError('mcp call takes the name of a tool, as in `mcp call recall`')
  const set = setOf(tool, textOf(values, 'tools'))
  const input = await readInput(values, signal)
  const file = textOf(values, 'book')
  const book = await open({ create: true, ...(file === undefined ? {} : { file }) })
  const tools = await book.tools({ format: 'openai', set, as: textOf(values, 'token') })
  const { text, value, isError } = await tools.call(tool, input, { signal })
  if (!isError) return terminal.answer(value, text)
  if (isJsonObject(value) && Object.hasOwn(errorTable, String(value['code'])))
    throw DaybookError.from(value as never)
  throw new ToolFailure(text)
}

/** The set in which the tool is; the first of several. */
function setOf(tool: string, named: string | undefined): ToolSetName {
  const sets = named === undefined ? toolSetNames : readSets(named)
  const found = sets.find((set) => toolsOf([set], 'device').some(({ name }) => name === tool))
  if (found) return found
  const names = sets.flatMap((set) => toolsOf([set], 'device').map(({ name }) => name))
  throw new UsageError(
    `There is no tool \`${tool.slice(0, 80)}\`. There are ${[...new Set(names)].join(', ')}`,
  )
}

async function readInput(values: CommandContext['values'], signal: AbortSignal): Promise<object> {
  const whole = textOf(values, 'args')
  const given = whole === undefined ? {} : await readJsonSource(whole, '--args', signal)
  if (!isJsonObject(given)) throw new UsageError('--args takes a JSON object')
  const { arg = [] } = values
  const single = (Array.isArray(arg) ? arg : [arg]).map((one) => readArgument(String(one)))
  return { ...given, ...Object.fromEntries(single) }
}

/** `name=value`: JSON where it is, else the text as it stands. */
function readArgument(text: string): [string, unknown] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`--arg takes <name>=<JSON or text>, not \`${text.slice(0, 80)}\``)
  const value = text.slice(at + 1)
  try {
    return [text.slice(0, at), JSON.parse(value)]
  } catch {
    return [text.slice(0, at), value]
  }
}
