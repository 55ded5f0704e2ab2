// The tools of the conformance suite that ask their client for something before they answer.
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

export const stateCodec = createRequestStateCodec({ key: 'a key of the fixture, of no other use' })

const named = z.object({ name: z.string() })
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })
const askName = (message = 'What is your name?') => inputRequired.elicit({ message, requestedSchema: named })
const askWords = (words: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: words } }],
    maxTokens,
  })

type Answer = ReturnType<typeof text> | ReturnType<typeof inputRequired>
type Ask = (at: ServerContext['mcpReq']) => Answer | Promise<Answer>

const asking: Readonly<Record<string, Ask>> = {
  test_input_required_result_elicitation({ inputResponses }) {
    const answer = acceptedContent(inputResponses, 'user_name', named)
    return answer
      ? text(`Hello, ${answer.name}!`)
      : inputRequired({ inputRequests: { user_name: askName() } })
  },
  test_input_required_result_sampling({ inputResponses }) {
    const answer = inputResponse(inputResponses, 'capital_question')
    return answer.kind === 'sampling'
      ? text(JSON.stringify(answer.result.content))
      : inputRequired({
          inputRequests: { capital_question: askWords('What is the capital of France?', 100) },
        })
  },
  test_input_required_result_list_roots({ inputResponses }) {
    const answer = inputResponse(inputResponses, 'client_roots')
    return answer.kind === 'roots'
      ? text(answer.roots.map(({ uri }) => uri).join(' '))
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  },
  test_input_required_result_request_state: confirmed,
  test_input_required_result_tampered_state: confirmed,
  async test_input_required_result_multiple_inputs({ inputResponses }) {
    const keys = ['user_name', 'greeting', 'client_roots']
    const isComplete = keys.every((key) => inputResponse(inputResponses, key).kind !== 'missing')
    if (isComplete) return text('All three are here.')
    return inputRequired({
      inputRequests: {
        user_name: askName(),
        greeting: askWords('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await stateCodec.mint({ round: 1 }),
    })
  },
  async test_input_required_result_multi_round({ inputResponses, requestState }) {
    const state = requestState<{ round: number }>()
    if (state?.round === 2 && inputResponse(inputResponses, 'step2').kind === 'elicit') return text('Done.')
    if (state?.round === 1 && inputResponse(inputResponses, 'step1').kind === 'elicit') {
      const requestedSchema = z.object({ color: z.string() })
      const message = 'Step 2: What is your favorite color?'
      return inputRequired({
        inputRequests: { step2: inputRequired.elicit({ message, requestedSchema }) },
        requestState: await stateCodec.mint({ round: 2 }),
      })
    }
    return inputRequired({
      inputRequests: { step1: askName('Step 1: What is your name?') },
      requestState: await stateCodec.mint({ round: 1 }),
    })
  },
  test_input_required_result_capabilities: ({ inputResponses, envelope }) => {
    if (inputResponses !== undefined) return text('Answered.')
    const { [CLIENT_CAPABILITIES_META_KEY]: can } = (envelope ?? {}) as Readonly<
      Record<string, { readonly elicitation?: object; readonly sampling?: object } | undefined>
    >
    if (can?.elicitation) return inputRequired({ inputRequests: { user_name: askName() } })
    if (can?.sampling) return inputRequired({ inputRequests: { greeting: askWords('Greet', 50) } })
    return text('There is nobody to ask.')
  },
  test_missing_capability: () => inputRequired({ inputRequests: { words: askWords('Say something', 10) } }),
  test_streaming_elicitation: ({ inputResponses }) =>
    inputResponses === undefined ? inputRequired({ inputRequests: { user_name: askName() } }) : text('Done.'),
}

async function confirmed({ inputResponses, requestState }: ServerContext['mcpReq']): Promise<Answer> {
  if (inputResponse(inputResponses, 'confirm').kind === 'elicit' && requestState() !== undefined)
    return text('state-ok')
  const requestedSchema = z.object({ ok: z.boolean() })
  return inputRequired({
    inputRequests: { confirm: inputRequired.elicit({ message: 'Please confirm', requestedSchema }) },
    requestState: await stateCodec.mint({ round: 1 }),
  })
}

export function registerAsking(server: McpServer): void {
  for (const [name, ask] of Object.entries(asking)) {
    server.registerTool(
      name,
      { description: `Asks as ${name} does`, inputSchema: z.object({}) },
      (_given, at) => ask(at.mcpReq),
    )
  }
  const context = z.object({ context: z.string() })
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks' }, ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'user_context', context)
    if (!answer) {
      const message = 'What context should the prompt use?'
      return inputRequired({
        inputRequests: { user_context: inputRequired.elicit({ message, requestedSchema: context }) },
      })
    }
    return { messages: [{ role: 'user', content: { type: 'text', text: answer.context } }] }
  })
}
