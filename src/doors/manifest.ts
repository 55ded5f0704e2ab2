// The manifest: what a book can do, as data for other programs, in two shapes at once: Daybook's own, and that of P3394, whose
// `input_schema` and `output_schema` are of what a message carries. Invariant: it is generated from the tables, never written.
import { z } from 'zod'
import type { AnyCapability, VerbPlace } from '../core/capability/capability.ts'
import type { Schema } from '../core/schema.ts'
import { findSeedShape, type SeedShape, seedShapes } from './seed-shape/seed-shape.ts'

export interface Manifest {
  readonly name: 'daybook'
  readonly wire: number
  readonly agent: ManifestAgent
  readonly capabilities: readonly ManifestEntry[]
}

/** Who it is to other agents, and how it can be reached. */
export interface ManifestAgent {
  readonly agent_id: typeof agentId
  readonly display_name: string
  readonly version: string
  readonly type: 'subagent'
  readonly transports: readonly ManifestTransport[]
}

export interface ManifestTransport {
  readonly type: 'direct' | 'unix_socket' | 'mcp_stdio' | 'http'
  readonly endpoint?: string
  readonly path?: string
  readonly command?: string
  readonly args?: readonly string[]
}

/** What a capability takes and answers when it is called by its own id. */
export interface OwnEntry {
  readonly id: string
  readonly summary: string
  /** Where it hangs on a book: `traces.store`. */
  readonly methods: readonly string[]
  /** `read` changes nothing, `write` is one transaction, `task` may take long. */
  readonly effect: 'read' | 'write' | 'task'
  /** Where it can be called: at every copy of a book, on its owner's devices, at its mirror, or where its private keys are. */
  readonly runs: VerbPlace
  /** JSON Schema, draft 2020-12. */
  readonly input: JsonSchema
  readonly output: JsonSchema
}

export interface ManifestEntry extends OwnEntry {
  readonly capability_id: string
  readonly description: string
  /** What the content of a message to it is, and of its answer. */
  readonly input_schema: JsonSchema
  readonly output_schema: JsonSchema
}

export type JsonSchema = Readonly<Record<string, unknown>>

/** The agent that a book is to others: `p3394://kstar-memory/store_trace`. */
export const agentId = 'kstar-memory'

interface ManifestParts {
  /** The version of sync that the host speaks. */
  readonly wire: number
  readonly version: string
  readonly transports: readonly ManifestTransport[]
}

/** Describes every capability of `table`, in its order, and then the ids that other descriptions of such memories add. */
export function createManifest(
  table: readonly Describable[],
  { wire, version, transports }: ManifestParts,
): Manifest {
  const known = new Map(table.map((capability) => [capability.id, capability]))
  const added = seedShapes.filter(({ names: [id] }) => id.includes(':') && !known.has(id))
  return {
    name: 'daybook',
    wire,
    agent: { agent_id: agentId, display_name: 'Daybook', version, type: 'subagent', transports },
    capabilities: [
      ...table.map((capability) => describe(capability, findSeedShape(capability.id))),
      ...added.flatMap((shape) => {
        const capability = known.get(shape.uses[0])
        return capability ? [describeAdded(capability, shape)] : []
      }),
    ],
  }
}

/** As much of a capability as is described. */
export type Describable = Pick<AnyCapability, keyof OwnEntry>

/** One capability as data. */
export function describeCapability({
  id,
  summary,
  methods,
  effect,
  runs = 'anywhere',
  input,
  output,
}: Describable): OwnEntry {
  return {
    id,
    summary,
    methods,
    effect,
    runs,
    input: jsonSchema(input, 'input'),
    output: jsonSchema(output, 'output'),
  }
}

function describe(capability: Describable, shape: SeedShape | undefined): ManifestEntry {
  const own = describeCapability(capability)
  return {
    ...own,
    capability_id: own.id,
    description: shape?.summary ?? own.summary,
    input_schema: shape ? jsonSchema(shape.input as unknown as Schema, 'input') : own.input,
    output_schema: shape?.answers ? jsonSchema(shape.answers as unknown as Schema, 'output') : own.output,
  }
}

/** An id that is no capability of its own: it has one shape alone. */
function describeAdded(capability: Describable, shape: SeedShape): ManifestEntry {
  const { input_schema: input, output_schema: output, ...entry } = describe(capability, shape)
  const [id] = shape.names
  return {
    ...entry,
    id,
    summary: shape.summary,
    methods: [],
    input,
    output,
    capability_id: id,
    input_schema: input,
    output_schema: output,
  }
}

/** What JSON Schema can't say (a check in code, a value that is reshaped) is left open rather than left out. */
function jsonSchema(schema: Schema, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema as unknown as z.ZodType, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  })
}
