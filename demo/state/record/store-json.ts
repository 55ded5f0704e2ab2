// Parses pasted JSON, and stores pasted traces: one, a list, or `{ "traces": [...] }`. All of them or none.
import { type CapabilityInput, type Daybook, DaybookError } from '../../../src/index.ts'

type TraceInput = CapabilityInput<'kstar:store_trace'>

const storedAtOnce = 1000

function tracesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  const isWrapped =
    typeof value === 'object' && value !== null && 'traces' in value && Array.isArray(value.traces)
  return isWrapped ? (value as { traces: unknown[] }).traces : [value]
}

/** Removes the fields that a book adds to a trace; the new book adds its own. */
function withoutHead(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('kind' in value) || value.kind !== 'trace')
    return value
  const added = new Set(['kind', 'created_at', 'updated_at', 'ver'])
  return Object.fromEntries(Object.entries(value).filter(([key]) => !added.has(key)))
}

/** Stores the traces in `text` and answers their ids. The book checks each and names the place of a fault. */
export async function storeJson(book: Daybook, text: string): Promise<readonly string[]> {
  const traces = tracesOf(parseJson(text)).map((value) => withoutHead(value)) as TraceInput[]
  if (traces.length > storedAtOnce) {
    throw new DaybookError(
      'too-large',
      `There are ${traces.length} traces here; at most ${storedAtOnce} can be stored at once.`,
    )
  }
  const [only] = traces
  if (traces.length === 1 && only !== undefined) return [(await book.traces.store(only)).id]
  return (await book.traces.storeMany({ traces })).ids
}

/** A whole trace to start from. */
export const exampleTrace = `{
  "situation": { "domain": "education.evaluation", "actor": "teacher:smith", "context": { "course": "CS101" } },
  "task": { "goal": "Evaluate the recursion exercise", "constraints": ["rubric-v2"] },
  "action": { "type": "artifact_evaluation", "parameters": { "artifact_id": "a-789" }, "tools_used": ["grader"] },
  "result": { "success": true, "outcome": { "score": 85, "feedback": "Good base case" } },
  "metadata": { "mode": "interactive", "tags": ["recursion"] }
}`

/** The line and column where the parser stopped, if known. */
function placeOf(text: string, message: string): string {
  const position = /position (\d+)/.exec(message)?.[1]
  if (position === undefined) return ''
  const before = text.slice(0, Number(position)).split('\n')
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : ''
    throw new DaybookError('invalid-input', `This is not JSON${placeOf(text, message)}: ${message}.`, {
      details: { path: '' },
      cause,
    })
  }
}
