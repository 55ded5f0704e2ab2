// Sets of tools over an open book, for models in a page or program, and for a browser's agent.
// Invariant: the tools are the same as over MCP, and call no other verb.
import type { ToolSource, ToolText } from '../../book/tool/tool-source.ts'
import { DaybookError } from '../../core/errors.ts'
import { inTurn, requireOffered, type McpTool, textsOf } from './tool.ts'
import { toolsOf } from './tool-set.ts'

/** Path of the option with the sets, for errors. */
const path = 'options.set'

export function createLocalTools(): ToolSource {
  const own = {}
  return {
    list: async (sets) => toolsOf(sets, 'device', path).map(textOf),
    async run(sets, name, input, call) {
      const tool = toolsOf(sets, 'device', path).find((one) => one.name === name)
      if (!tool) throw unknown(name)
      const answer = await tool.run(input, {
        now: () => Date.now(),
        alone: (work) => inTurn(own, work),
        async call(id, value, step) {
          requireOffered(id)
          return call(id, value, step)
        },
      })
      return { value: answer.value, texts: textsOf(answer), isFailure: answer.isFailure === true }
    },
  }
}

function textOf({ name, description, input, verbs, hints, isQuoted }: McpTool): ToolText {
  return {
    name,
    description,
    input,
    verbs: verbs.map(requireOffered).map(({ id, permission }) => ({ id, permission })),
    readsOnly: hints.readOnlyHint,
    isQuoted,
  }
}

function unknown(name: string): DaybookError {
  return new DaybookError('unknown-capability', `There is no tool \`${name.slice(0, 80)}\` in these sets.`, {
    details: { path: 'name' },
  })
}
