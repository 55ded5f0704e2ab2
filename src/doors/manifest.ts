// The manifest: what a book can do, as data for other programs. Generated from the capability table, never written.
import { z } from 'zod'
import type { AnyCapability, VerbPlace } from '../core/capability/capability.ts'
import type { Schema } from '../core/schema.ts'

export interface Manifest {
  readonly name: 'daybook'
  readonly wire: number
  readonly capabilities: readonly ManifestEntry[]
}

export interface ManifestEntry {
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

type JsonSchema = Readonly<Record<string, unknown>>

/** Describes every capability of `table`, in its order; `wire` is the version of sync that the host speaks. */
export function createManifest(table: readonly Describable[], { wire }: Pick<Manifest, 'wire'>): Manifest {
  return { name: 'daybook', wire, capabilities: table.map(describe) }
}

/** As much of a capability as is described. */
export type Describable = Pick<AnyCapability, keyof ManifestEntry>

function describe({
  id,
  summary,
  methods,
  effect,
  runs = 'anywhere',
  input,
  output,
}: Describable): ManifestEntry {
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

/** What JSON Schema can't say (a check in code, a value that is reshaped) is left open rather than left out. */
function jsonSchema(schema: Schema, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema as unknown as z.ZodType, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  })
}
