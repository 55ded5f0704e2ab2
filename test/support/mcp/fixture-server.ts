// What the conformance suite of MCP calls by name: tools, resources and prompts that answer as its descriptions say. They are
// no part of the product; the transport that serves them is.
import {
  completable,
  type McpRequestContext,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { registerAsking, stateCodec } from './fixture-asking.ts'

/** A PNG of one pixel, and a WAV of no sound. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const text = (value: string) => ({ type: 'text' as const, text: value })
const image = { type: 'image' as const, data: png, mimeType: 'image/png' }
const embedded = (uri: string, mimeType: string, value: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: value },
})

export function createFixtureServer({ era }: Pick<McpRequestContext, 'era'>): McpServer {
  const server = new McpServer(
    { name: 'fixture', version: '1' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      requestState: { verify: stateCodec.verify },
    },
  )
  registerTools(server)
  registerNotices(server)
  registerResources(server)
  registerPrompts(server)
  registerAsking(server)
  if (era === 'legacy') {
    server.server.setRequestHandler('resources/subscribe', () => ({}))
    server.server.setRequestHandler('resources/unsubscribe', () => ({}))
  }
  return server
}

function registerTools(server: McpServer): void {
  const answers = {
    test_simple_text: [text('This is a simple text response for testing.')],
    test_image_content: [image],
    test_audio_content: [{ type: 'audio' as const, data: wav, mimeType: 'audio/wav' }],
    test_embedded_resource: [
      embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ],
    test_multiple_content_types: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }
  for (const [name, content] of Object.entries(answers))
    server.registerTool(name, { description: `Answers as ${name} does` }, () => ({ content }))
  server.registerTool('test_error_handling', { description: 'Fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
}

/** Tools that tell something before they answer, or of what changed. */
function registerNotices(server: McpServer): void {
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Tells its progress', inputSchema: z.object({}) },
    async (_given, { mcpReq }) => {
      const { _meta: meta } = mcpReq
      const progressToken = meta?.progressToken ?? 0
      for (const progress of [0, 50, 100])
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        })
      return { content: [text('done')] }
    },
  )
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(
      name,
      { description: 'Logs', inputSchema: z.object({}) },
      async (_given, { mcpReq }) => {
        for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
          await mcpReq.log('info', data)
        return { content: [text('done')] }
      },
    )
  }
  server.registerTool(
    'test_trigger_tool_change',
    { description: 'Says that its tools changed' },
    async () => {
      await server.server.sendToolListChanged()
      return { content: [text('done')] }
    },
  )
  server.registerTool(
    'test_trigger_prompt_change',
    { description: 'Says that prompts changed' },
    async () => {
      await server.server.sendPromptListChanged()
      return { content: [text('done')] }
    },
  )
}

function registerResources(server: McpServer): void {
  const one = (uri: string, mimeType: string, content: { text: string } | { blob: string }) =>
    server.registerResource(uri, uri, { mimeType }, () => ({ contents: [{ uri, mimeType, ...content }] }))
  one('test://static-text', 'text/plain', { text: 'This is the content of the static text resource.' })
  one('test://static-binary', 'image/png', { blob: png })
  one('test://watched-resource', 'text/plain', { text: 'Watched' })
  const mimeType = 'application/json'
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, { mimeType }, ({ href }, { id }) => {
    const data = { id, templateTest: true, data: `Data for ID: ${String(id)}` }
    return { contents: [{ uri: href, mimeType, text: JSON.stringify(data) }] }
  })
}

function registerPrompts(server: McpServer): void {
  const user = <Content>(content: Content) => ({ role: 'user' as const, content })
  server.registerPrompt('test_simple_prompt', { description: 'Plain' }, () => ({
    messages: [user(text('This is a simple prompt for testing.'))],
  }))
  const argument = completable(z.string(), (value) =>
    ['paris', 'park'].filter((one) => one.startsWith(value)),
  )
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'With arguments', argsSchema: z.object({ arg1: argument, arg2: z.string() }) },
    ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'With a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'With an image' }, () => ({
    messages: [user(image), user(text('Please analyze the image above.'))],
  }))
}
