// The lists of tools as a model reads them: their size, and the description of each field.
import { describe, expect, it } from 'vitest'
import { toolSetNames, toolsOf, usualSets } from '../../../../src/doors/mcp/tool-set.ts'
import { sentHints, titleOf } from '../../../../src/doors/mcp/tool.ts'
import { estimateTokens } from '../../../../src/core/text/estimate-tokens.ts'

const listed = (set: (typeof toolSetNames)[number]) =>
  toolsOf([set], 'device').map(({ name, description, input, output, hints }) => ({
    name,
    title: titleOf(name),
    description,
    inputSchema: input,
    ...(output ? { outputSchema: output } : {}),
    annotations: sentHints(hints),
  }))

const tokensOf = (set: (typeof toolSetNames)[number]) => estimateTokens(JSON.stringify(listed(set)))

/** The paths of fields without a description. */
function undescribed(schema: unknown, path: string): string[] {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, object>> }
  return Object.entries(properties).flatMap(([name, property]) => [
    ...('description' in property ? [] : [`${path}.${name}`]),
    ...undescribed(property, `${path}.${name}`),
  ])
}

describe('the lists of tools', () => {
  it('cost a model few tokens by default, and each set is printed', () => {
    const tokens = Object.fromEntries(toolSetNames.map((set) => [set, tokensOf(set)]))
    process.stdout.write(`tokens of each set of tools: ${JSON.stringify(tokens)}\n`)
    expect(usualSets.reduce((sum, set) => sum + (tokens[set] ?? 0), 0)).toBeLessThanOrEqual(1200)
    // Sets that a person chooses may cost more, within reason.
    for (const [set, count] of Object.entries(tokens)) expect([set, count <= 3600]).toEqual([set, true])
  })

  it('describe every field of the default tools, and promise no list longer than it is', () => {
    for (const set of usualSets)
      for (const { name, inputSchema } of listed(set)) expect(undescribed(inputSchema, name)).toEqual([])
    for (const set of toolSetNames)
      for (const { name, inputSchema } of listed(set)) {
        const { limit } = (inputSchema['properties'] ?? {}) as Readonly<
          Record<
            string,
            { readonly maximum?: number; readonly default?: number; readonly description?: string }
          >
        >
        if (limit === undefined) continue
        const holds = (limit.maximum ?? 50) <= 50 && (limit.default ?? 50) <= 50
        expect([set, name, holds, limit.description]).toEqual([set, name, true, expect.any(String)])
      }
  })
})
