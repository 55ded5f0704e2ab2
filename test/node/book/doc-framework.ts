// The frameworks that docs/connect.md connects, with a model that says what it was told to: no key, no network.
import { Anthropic } from '@anthropic-ai/sdk'
import * as memoryHelper from '@anthropic-ai/sdk/helpers/beta/memory'
import * as langgraph from '@langchain/langgraph'
import * as agents from '@openai/agents-core'
import { assistantMessage, modelResponse, ScriptedModel } from '@openai/agents-core/testing'
import * as tanstack from '@tanstack/db'
import * as ai from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import * as daybookAi from '../../../src/doors/adapter/ai-sdk.ts'
import * as daybookAnthropic from '../../../src/doors/adapter/anthropic/memory.ts'
import * as daybookClaude from '../../../src/doors/adapter/claude-agent.ts'
import * as daybookLanggraph from '../../../src/doors/adapter/langgraph/langgraph.ts'
import * as daybookOpenai from '../../../src/doors/adapter/openai-agents.ts'
import * as daybookTanstack from '../../../src/doors/adapter/tanstack-db/collection.ts'
import type { Modules } from '../../support/doc-program.ts'

/** What the model says, one turn after another. */
const turns: object[] = [
  {
    type: 'tool_use',
    id: 'toolu_1',
    name: 'memory',
    input: { command: 'create', path: '/memories/user.md', file_text: 'Lives in Lisbon.' },
  },
  { type: 'text', text: 'Noted.' },
]

class ScriptedAnthropic extends Anthropic {
  constructor() {
    const left = [...turns]
    const fetch = () => {
      const said = left.shift() ?? { type: 'text', text: 'I was told to say nothing more.' }
      const stop_reason = 'input' in said ? 'tool_use' : 'end_turn'
      const usage = { input_tokens: 1, output_tokens: 1 }
      const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', usage }
      return Promise.resolve(Response.json({ ...message, content: [said], stop_reason }))
    }
    super({ apiKey: 'none', fetch })
  }
}

class ScriptedAgent extends agents.Agent {
  constructor({ name }: { name: string }) {
    const steps = ['Noted.', 'In Lisbon.'].map((text) =>
      modelResponse({ usage: new agents.Usage(), output: [assistantMessage(text)] }),
    )
    super({ name, model: new ScriptedModel(steps) })
  }
}

/** Knows nothing but what stands in its prompt. */
const scriptedModel = () =>
  new MockLanguageModelV4({
    doGenerate: ({ prompt }) => {
      const [message] = prompt
      const part = message?.role === 'user' ? message.content.at(-1) : undefined
      const isRecalled = part?.type === 'text' && /^<recalled_memory>[^]*I moved to Lisbon\./.test(part.text)
      return Promise.resolve({
        content: [{ type: 'text', text: isRecalled ? 'To Lisbon.' : 'Noted.' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      })
    },
  })

export const frameworks: Modules = {
  '@anthropic-ai/sdk': { Anthropic: ScriptedAnthropic },
  '@anthropic-ai/sdk/helpers/beta/memory': memoryHelper,
  '@langchain/langgraph': langgraph,
  '@openai/agents': { Agent: ScriptedAgent, run: agents.run },
  '@ai-sdk/openai': { openai: scriptedModel },
  '@tanstack/db': tanstack,
  ai,
  'daybook/ai-sdk': daybookAi,
  'daybook/anthropic': daybookAnthropic,
  'daybook/claude-agent': daybookClaude,
  'daybook/langgraph': daybookLanggraph,
  'daybook/openai-agents': daybookOpenai,
  'daybook/tanstack-db': daybookTanstack,
}
