// The one table of shapes that other memories' descriptions fix: an id or a tool name, what is sent, what is answered, what
// an error says. HTTP, MCP, P3394 and the command line all read it. Rows are verbs that there are: those of the chapters of
// consent (`a2p:…`), continuity (`katra_remember` and its like) and the pool come with their chapters.
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import { parseWith } from '../../core/schema.ts'
import { a2pShapes } from './a2p-shape.ts'
import { bookShapes } from './book-shape.ts'
import { conversationShapes } from './conversation-shape.ts'
import { katraShapes } from './katra-shape.ts'
import { kstarShapes } from './kstar-shape.ts'
import { roomShapes } from './room-shape.ts'
import { type Given, type SeedShape, type ShapeCall, unwrap } from './shape.ts'
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
}

/**
 * Calls what `name` stands for with `input` in the shape of its description, and answers in that shape. Throws
 * `unknown-capability` for a name that no row has, and errors whose paths are those of `input`.
 */
export async function callSeedShape(name: string, input: unknown, at: ShapeCall): Promise<unknown> {
  const { value } = await askSeedShape(name, input, at)
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
    const given = parseWith(shape.input, unwrap(input ?? {}, shape.wrapped)) as Given
    return { value: await shape.run(given, at), isFailure: false }
  } catch (error) {
    if (!isDaybookError(error)) throw error
    const theirs = inTheirWords(error, shape.fields ?? {})
    if (shape.failure) return { value: shape.failure(theirs), isFailure: true }
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
