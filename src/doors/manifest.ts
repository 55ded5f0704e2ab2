// The manifest: a book's capabilities as data, in Daybook's own shape and in that of P3394, with `input_schema` and `output_schema` for
// the content of messages.
// Invariant: it is generated from the tables.
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

/** The book as an agent, and how to reach it. */
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

/** A capability, called by its own id. */
export interface OwnEntry {
  readonly id: string
  readonly summary: string
  /** Methods of a book: `traces.store`. */
  readonly methods: readonly string[]
  /** `read` changes nothing, `write` is one transaction, `task` may take long. */
  readonly effect: 'read' | 'write' | 'task'
  /** Place of execution: every copy of a book, its owner's devices, its mirror, or its private keys. */
  readonly runs: VerbPlace
  /** JSON Schema, draft 2020-12. */
  readonly input: JsonSchema
  readonly output: JsonSchema
}

export interface ManifestEntry extends OwnEntry {
  readonly capability_id: string
  readonly description: string
  /** Content of a message, and of its answer. */
  readonly input_schema: JsonSchema
  readonly output_schema: JsonSchema
}

export type JsonSchema = Readonly<Record<string, unknown>>

/** The agent id of a book: `p3394://kstar-memory/store_trace`. */
export const agentId = 'kstar-memory'

interface ManifestParts {
  /** The host's version of the sync wire. */
  readonly wire: number
  readonly version: string
  readonly transports: readonly ManifestTransport[]
}

/** Describes every capability of `table`, then the ids that seed shapes add. */
export function createManifest(
  table: readonly Describable[],
  { wire, version, transports }: ManifestParts,
): Manifest {
  const byId = new Map(table.map((capability) => [capability.id, capability]))
  const added = seedShapes.filter(({ names: [id] }) => id.includes(':') && !byId.has(id))
  return {
    name: 'daybook',
    wire,
    agent: { agent_id: agentId, display_name: 'Daybook', version, type: 'subagent', transports },
    capabilities: [
      ...table.map((capability) => describe(capability, findSeedShape(capability.id))),
      ...added.flatMap((shape) => {
        const capability = byId.get(shape.uses[0])
        return capability ? [describeAdded(capability, shape)] : []
      }),
    ],
  }
}

/** The described part of a capability. */
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

/** Describes an id that only a seed shape has. */
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

/** Checks in code and transformed values become open schemas, because JSON Schema can't express them. */
function jsonSchema(schema: Schema, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema as unknown as z.ZodType, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  })
}
