// The table of seed shapes: verbs with the names, inputs, answers and errors that descriptions of other memories fix. HTTP, MCP, P3394
// and the command line use it.
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

/** The shape of this name: `kstar:store_trace`, `mcp__kstar__store_trace`, `store_trace`. */
export function findSeedShape(name: string): SeedShape | undefined {
  return byName.get(name)
}

/** A shape's answer. `isFailure`: it is in place of an error. */
export interface ShapeAnswer {
  readonly value: unknown
  readonly isFailure: boolean
  /** The error behind a failure. */
  readonly error?: DaybookError
}

/** Errors before the memory is called. Descriptions have no answer for them, but doors do. */
const ofTheDoor: ReadonlySet<ErrorCode> = new Set([
  'unauthorized',
  'forbidden',
  'rate-limited',
  'engine-died',
])

/**
 * Calls the shape `name`, and answers in its form. Throws `unknown-capability` for an unknown name, and errors with the paths of
 * `input`.
 */
export async function callSeedShape(name: string, input: unknown, at: ShapeCall): Promise<unknown> {
  const { value, error } = await askSeedShape(name, input, at)
  if (error && ofTheDoor.has(error.code)) throw error
  return value
}

/** The same, for a door with its own form of failures. */
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
    // Hide the message of an internal fault.
    if (shape.failure && theirs.code !== 'internal')
      return { value: shape.failure(theirs), isFailure: true, error: theirs }
    throw theirs
  }
}

/** The error with the caller's name of its field. */
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
