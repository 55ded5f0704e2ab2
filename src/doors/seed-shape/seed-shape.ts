// The one table of shapes that other memories' descriptions fix: an id or a tool name, what is sent, what is answered, what
// an error says. HTTP, MCP, P3394 and the command line all read it. Rows are verbs that there are: those of the chapters of
// consent (`a2p:…`), continuity (`katra_remember` and its like) and the pool come with their chapters.
import { DaybookError, type ErrorCode, isDaybookError } from '../../core/errors.ts'
import type { Schema } from '../../core/schema.ts'
import { a2pShapes } from './a2p-shape.ts'
import { bookShapes } from './book-shape.ts'
import { conversationShapes } from './conversation-shape.ts'
import { katraShapes } from './katra-shape.ts'
import { kstarShapes } from './kstar-shape.ts'
import { roomShapes } from './room-shape.ts'
import { type Given, readGiven, type SeedShape, type ShapeCall, unwrap } from './shape.ts'
import { tokenShapes } from './token-shape.ts'

export type { SeedShape, ShapeCall } from './shape.ts'

export const seedShapes: readonly SeedShape[] = [
  ...kstarShapes,
  ...tokenShapes,
  ...bookShapes,
  ...conversationShapes,
  ...roomShapes,
  ...katraShapes,
  ...a2pShapes,
]

const byName: ReadonlyMap<string, SeedShape> = new Map(
  seedShapes.flatMap((shape) => shape.names.map((name) => [name, shape])),
)

/** The row that goes by this name: `kstar:store_trace`, `mcp__kstar__store_trace`, `store_trace`. */
export function findSeedShape(name: string): SeedShape | undefined {
  return byName.get(name)
}

/** What a row answered: `isFailure` where that stands in place of an error. */
export interface ShapeAnswer {
  readonly value: unknown
  readonly isFailure: boolean
  /** What it failed with. */
  readonly error?: DaybookError
}

/** What a call ends with before the memory is asked: no description has a word for it where a door has one of its own. */
const ofTheDoor: ReadonlySet<ErrorCode> = new Set([
  'unauthorized',
  'forbidden',
  'rate-limited',
  'engine-died',
])

/**
 * Calls what `name` stands for with `input` in the shape of its description, and answers in that shape. Throws
 * `unknown-capability` for a name that no row has, and errors whose paths are those of `input`.
 */
export async function callSeedShape(name: string, input: unknown, at: ShapeCall): Promise<unknown> {
  const { value, error } = await askSeedShape(name, input, at)
  if (error && ofTheDoor.has(error.code)) throw error
  return value
}

/** The same, for a door that has a word of its own for what failed. */
export async function askSeedShape(name: string, input: unknown, at: ShapeCall): Promise<ShapeAnswer> {
  const shape = findSeedShape(name)
  if (!shape) {
    throw new DaybookError('unknown-capability', `There is no capability \`${name.slice(0, 80)}\`.`, {
      details: { path: 'capability' },
    })
  }
  try {
    const value = unwrap(input ?? {}, shape.wrapped)
    const asked = { id: shape.uses[0], admit: at.admit }
    const given = (await readGiven(shape.input as unknown as Schema, value, asked)) as Given
    return { value: await shape.run(given, at), isFailure: false }
  } catch (error) {
    if (!isDaybookError(error)) throw error
    const theirs = inTheirWords(error, shape.fields ?? {})
    // The message of a fault of Daybook itself is for nobody outside.
    if (shape.failure && theirs.code !== 'internal')
      return { value: shape.failure(theirs), isFailure: true, error: theirs }
    throw theirs
  }
}

/** The same error, with the field that it is about under the name that the caller knows. */
function inTheirWords(error: DaybookError, fields: Readonly<Record<string, string>>): DaybookError {
  const { path } = error.details
  if (typeof path !== 'string') return error
  const [first = '', ...rest] = path.split('.')
  const theirs = Object.hasOwn(fields, first) ? fields[first] : undefined
  if (theirs === undefined) return error
  const there = [theirs, ...rest].join('.')
  const said = error.details['issues'] as readonly { readonly path: string }[] | undefined
  const issues = said?.map((issue) => (issue.path === path ? { ...issue, path: there } : issue))
  return new DaybookError(
    error.code,
    error.message.replaceAll(`\`${path}\``, () => `\`${there}\``),
    {
      details: { ...error.details, path: there, ...(issues ? { issues } : {}) },
      cause: error,
      retry: error.retry,
    },
  )
}
