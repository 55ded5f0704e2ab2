// Schemas that refer to parts of themselves, in a document where a reference begins at the whole: their parts move to one place.
// Invariant: two parts of one content are one part.
import { isJsonObject } from '../../../core/json/path.ts'
import type { JsonSchema } from '../../manifest.ts'

const own = '#/$defs/'

export class Components {
  readonly schemas: Record<string, JsonSchema> = {}
  readonly #names = new Map<string, string>()

  /** The schema without `$schema` and `$defs`; these stand in the document under names of their own. */
  hoist(id: string, { $schema: _dialect, $defs = {}, ...schema }: JsonSchema): JsonSchema {
    const parts = Object.entries($defs as Readonly<Record<string, JsonSchema>>)
    const names = new Map(parts.map(([name, part]) => [`${own}${name}`, this.#nameOf(part, `${id}.${name}`)]))
    for (const [name, part] of parts)
      this.schemas[names.get(`${own}${name}`) ?? name] = renamed(part, names) as JsonSchema
    return renamed(schema, names) as JsonSchema
  }

  #nameOf(part: JsonSchema, wanted: string): string {
    const content = JSON.stringify(part)
    const name = this.#names.get(content) ?? wanted.replaceAll(/[^\w.-]/g, '-')
    this.#names.set(content, name)
    return name
  }
}

/** The same with every reference to one of `names` changed. */
function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => renamed(one, names))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const name = key === '$ref' && typeof one === 'string' ? names.get(one) : undefined
      return [key, name === undefined ? renamed(one, names) : `#/components/schemas/${name}`]
    }),
  )
}
