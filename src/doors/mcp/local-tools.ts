// Sets of tools over an open book, for models in a page or program, and for a browser's agent.
// Invariant: the tools are the same as over MCP, and call no other verb.
import type { ToolSource, ToolText } from '../../book/tool/tool-source.ts'
import { DaybookError } from '../../core/errors.ts'
import { runInTurn, requireOffered, type McpTool, textsOf } from './tool.ts'
import { toolsOf } from './tool-set.ts'

/** Path of the option with the sets, for errors. */
const setOptionPath = 'options.set'

export function createLocalTools(): ToolSource {
  // These tools have a queue of their own.
  const queueKey = {}
  return {
    list: async (sets) => toolsOf(sets, 'device', setOptionPath).map(describeTool),
    async run(sets, name, input, call) {
      const tool = toolsOf(sets, 'device', setOptionPath).find((one) => one.name === name)
      if (!tool) throw unknownToolError(name)
      const answer = await tool.run(input, {
        now: () => Date.now(),
        inTurn: (work) => runInTurn(queueKey, work),
        async call(id, value, step) {
          requireOffered(id)
          return call(id, value, step)
        },
      })
      return { value: answer.value, texts: textsOf(answer), isFailure: answer.isErrorAnswer === true }
    },
  }
}

function describeTool({ name, description, input, verbs, hints, isQuoted }: McpTool): ToolText {
  return {
    name,
    description,
    input,
    verbs: verbs.map(requireOffered).map(({ id, permission }) => ({ id, permission })),
    readsOnly: hints.readOnlyHint,
    isQuoted,
  }
}

function unknownToolError(name: string): DaybookError {
  return new DaybookError('unknown-capability', `There is no tool \`${name.slice(0, 80)}\` in these sets.`, {
    details: { path: 'name' },
  })
}
