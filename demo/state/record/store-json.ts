// Storing traces that a reader pasted as JSON: one, a list of them, or `{ "traces": [...] }`. All of them or none.
import { type CapabilityInput, type Daybook, DaybookError } from '../../../src/index.ts'
import { parseJson } from './parse-json.ts'

type TraceInput = CapabilityInput<'kstar:store_trace'>

const storedAtOnce = 1000

function tracesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  const isWrapped =
    typeof value === 'object' && value !== null && 'traces' in value && Array.isArray(value.traces)
  return isWrapped ? (value as { traces: unknown[] }).traces : [value]
}

/** A trace copied out of a book carries what the book adds; a new book adds its own. */
function withoutHead(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('kind' in value) || value.kind !== 'trace')
    return value
  const added = new Set(['kind', 'created_at', 'updated_at', 'ver'])
  return Object.fromEntries(Object.entries(value).filter(([key]) => !added.has(key)))
}

/** Stores what `text` holds and answers the ids; the book checks each trace and says where one is wrong. */
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
