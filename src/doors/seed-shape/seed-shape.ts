// The table of seed shapes: verbs with names, inputs, answers and errors of other memories' specifications. HTTP,
// MCP, P3394 and the command line use this table.
import { DaybookError, type ErrorCode, isDaybookError } from '../../core/errors.ts'
import type { Schema } from '../../core/schema.ts'
import { a2pShapes } from './a2p-shape.ts'
import { bookShapes } from './book-shape.ts'
import { conversationShapes } from './conversation-shape.ts'
import { katraShapes, roomShapes } from './katra-shape.ts'
import { kstarShapes } from './kstar-shape.ts'
import {
  type Fields,
  type InputCheck,
  parseInput,
  type SeedShape,
  type ShapeContext,
  unwrap,
} from './shape.ts'
import { tokenShapes } from './token-shape.ts'

export type { SeedShape, ShapeContext } from './shape.ts'

export const seedShapes: readonly SeedShape[] = [
  ...kstarShapes,
  ...tokenShapes,
  ...bookShapes,
  ...conversationShapes,
  ...roomShapes,
  ...katraShapes,
  ...a2pShapes,
]

const shapeByName: ReadonlyMap<string, SeedShape> = new Map(
  seedShapes.flatMap((shape) => shape.names.map((name) => [name, shape])),
)

/**
 * Returns the shape of a name, such as `kstar:store_trace`, `mcp__kstar__store_trace` or `store_trace`. Undefined: no
 * shape has this name.
 */
export function findSeedShape(name: string): SeedShape | undefined {
  return shapeByName.get(name)
}

/** The answer of a shape. `isErrorAnswer`: `value` replaces an error. */
export interface ShapeAnswer {
  readonly value: unknown
  readonly isErrorAnswer: boolean
  /** The error that `value` replaces. */
  readonly error?: DaybookError
}

/** Codes of errors that come before the memory runs. No specification has an answer for them: the door throws them. */
const codesOfDoorErrors: ReadonlySet<ErrorCode> = new Set([
  'unauthorized',
  'forbidden',
  'rate-limited',
  'engine-died',
])

/**
 * Calls the shape `name`, and returns its answer, or the answer that replaces an error. Throws `unknown-capability` for
 * an unknown name. The path of another error names the field as in `input`.
 */
export async function callSeedShape(name: string, input: unknown, at: ShapeContext): Promise<unknown> {
  const { value, error } = await runSeedShape(name, input, at)
  if (error && codesOfDoorErrors.has(error.code)) throw error
  return value
}

/** Like `callSeedShape`, for a door that shows failures in its own form. `check`: throws for inputs that it refuses. */
export async function runSeedShape(
  name: string,
  input: unknown,
  at: ShapeContext,
  check?: InputCheck['check'],
): Promise<ShapeAnswer> {
  const shape = findSeedShape(name)
  if (!shape) {
    throw new DaybookError('unknown-capability', `There is no capability \`${name.slice(0, 80)}\`.`, {
      details: { path: 'capability' },
    })
  }
  try {
    const value = unwrap(input ?? {}, shape.wrapperField)
    const capabilityRight = { id: shape.capabilities[0], admit: at.admit, check }
    const fields = (await parseInput(shape.input as unknown as Schema, value, capabilityRight)) as Fields
    return { value: await shape.run(fields, at), isErrorAnswer: false }
  } catch (error) {
    if (!isDaybookError(error)) throw error
    const shapeError = withShapeFieldNames(error, shape.fieldNames ?? {})
    // Throw an internal error, so that the shape never shows its message.
    if (shape.toErrorAnswer && shapeError.code !== 'internal')
      return { value: shape.toErrorAnswer(shapeError), isErrorAnswer: true, error: shapeError }
    throw shapeError
  }
}

/** Returns the error with the shape's name of the field in its path and message. */
export function withShapeFieldNames(
  error: DaybookError,
  fields: Readonly<Record<string, string>>,
): DaybookError {
  const { path } = error.details
  if (typeof path !== 'string') return error
  const [first = '', ...rest] = path.split('.')
  const shapeField = Object.hasOwn(fields, first) ? fields[first] : undefined
  if (shapeField === undefined) return error
  const shapePath = [shapeField, ...rest].join('.')
  const capabilityIssues = error.details['issues'] as readonly { readonly path: string }[] | undefined
  const issues = capabilityIssues?.map((issue) =>
    issue.path === path ? { ...issue, path: shapePath } : issue,
  )
  return new DaybookError(
    error.code,
    error.message.replaceAll(`\`${path}\``, () => `\`${shapePath}\``),
    {
      details: { ...error.details, path: shapePath, ...(issues ? { issues } : {}) },
      cause: error,
      retry: error.retry,
    },
  )
}
