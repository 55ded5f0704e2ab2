// The table of seed shapes: verbs with names, inputs, answers and errors of other memories' specifications. HTTP,
// MCP, P3394 and the command line use this table.
import { DaybookError, type ErrorCode, isDaybookError } from '../../core/errors.ts'
import type { Schema } from '../../core/schema.ts'
import { a2pShapes } from './a2p-shape.ts'
import { bookShapes } from './book-shape.ts'
import { conversationShapes } from './conversation-shape.ts'
import { katraShapes, roomShapes } from './katra-shape.ts'
import { kstarShapes } from './kstar-shape.ts'
import { type Fields, readInput, type SeedShape, type ShapeCall, unwrap } from './shape.ts'
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

/**
 * Returns the shape of a name, such as `kstar:store_trace`, `mcp__kstar__store_trace` or `store_trace`. Undefined: no
 * shape has this name.
 */
export function findSeedShape(name: string): SeedShape | undefined {
  return byName.get(name)
}

/** The answer of a shape. `isFailure`: `value` replaces an error. */
export interface ShapeAnswer {
  readonly value: unknown
  readonly isFailure: boolean
  /** The error that `value` replaces. */
  readonly error?: DaybookError
}

/** Codes of errors before the memory runs. Specifications have no answer for these errors: the door answers them. */
const ofTheDoor: ReadonlySet<ErrorCode> = new Set([
  'unauthorized',
  'forbidden',
  'rate-limited',
  'engine-died',
])

/**
 * Calls the shape `name`, and returns its answer. Throws `unknown-capability` for an unknown name. The path of
 * another error names the field as in `input`.
 */
export async function callSeedShape(name: string, input: unknown, at: ShapeCall): Promise<unknown> {
  const { value, error } = await askSeedShape(name, input, at)
  if (error && ofTheDoor.has(error.code)) throw error
  return value
}

/** Like `callSeedShape`, for a door that shows failures in its own form. */
export async function askSeedShape(name: string, input: unknown, at: ShapeCall): Promise<ShapeAnswer> {
  const shape = findSeedShape(name)
  if (!shape) {
    throw new DaybookError('unknown-capability', `There is no capability \`${name.slice(0, 80)}\`.`, {
      details: { path: 'capability' },
    })
  }
  try {
    const value = unwrap(input ?? {}, shape.wrapped)
    const right = { id: shape.uses[0], admit: at.admit }
    const fields = (await readInput(shape.input as unknown as Schema, value, right)) as Fields
    return { value: await shape.run(fields, at), isFailure: false }
  } catch (error) {
    if (!isDaybookError(error)) throw error
    const theirs = withTheirPath(error, shape.fields ?? {})
    // Throw an internal error, so that the shape never shows its message.
    if (shape.failure && theirs.code !== 'internal')
      return { value: shape.failure(theirs), isFailure: true, error: theirs }
    throw theirs
  }
}

/** Returns the error with the shape's name of the field in its path and message. */
function withTheirPath(error: DaybookError, fields: Readonly<Record<string, string>>): DaybookError {
  const { path } = error.details
  if (typeof path !== 'string') return error
  const [first = '', ...rest] = path.split('.')
  const theirs = Object.hasOwn(fields, first) ? fields[first] : undefined
  if (theirs === undefined) return error
  const there = [theirs, ...rest].join('.')
  const own = error.details['issues'] as readonly { readonly path: string }[] | undefined
  const issues = own?.map((issue) => (issue.path === path ? { ...issue, path: there } : issue))
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
