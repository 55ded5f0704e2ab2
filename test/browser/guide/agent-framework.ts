// What docs/agent-in-a-page.md builds its agent from, in a page: LangGraph as it is, and a model that says what it was told to.
import * as langgraph from '@langchain/langgraph/web'
import * as daybookLanggraph from '../../../src/doors/adapter/langgraph/langgraph.ts'
import type { Modules } from '../../support/doc-program.ts'

interface Said {
  readonly role: string
  readonly content: string
}

const calls = (name: string, input: object) => ({
  role: 'assistant',
  content: '',
  tool_calls: [
    { id: `call_${name}`, type: 'function', function: { name, arguments: JSON.stringify(input) } },
  ],
})
const says = (content: string) => ({ role: 'assistant', content })

/** What was recalled, and the question behind it. */
const quoted = /^<recalled_memory>\n([^]*)\n<\/recalled_memory>\n([^]*)$/

/** Knows nothing but what stands in its prompt. */
class ScriptedOpenAI {
  #isOffline = true
  readonly chat = {
    completions: {
      create: ({ messages }: { readonly messages: readonly Said[] }) => {
        const message = this.#answer(messages)
        return Promise.resolve({ choices: [{ message }] })
      },
    },
  }

  #answer(messages: readonly Said[]): object {
    const last = messages.at(-1)
    const content = messages.findLast(({ role }) => role === 'user')?.content ?? ''
    const [, recalled = '', question = content] = quoted.exec(content) ?? []
    if (last?.role === 'tool') {
      if (last.content.startsWith('The user')) return says('As you like.')
      const mail = { to: 'ann@example.com', text: 'I moved to Lisbon.' }
      return last.content.startsWith('Sent') ? says('Done.') : calls('send_mail', mail)
    }
    if (question.startsWith('Please')) {
      return calls('remember', { text: 'The user moved to Lisbon.' })
    }
    if (question.startsWith('Where')) {
      return says(recalled.includes('Lisbon') ? 'To Lisbon.' : 'I do not know.')
    }
    if (!this.#isOffline) return says('Here I am.')
    this.#isOffline = false
    throw new Error('Connection error.')
  }
}

export const agentModules: Modules = {
  '@langchain/langgraph/web': langgraph,
  'daybook/langgraph': daybookLanggraph,
  openai: { OpenAI: ScriptedOpenAI },
}
