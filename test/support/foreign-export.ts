// What other memories and agents export: a small one of each format that can be imported.

export const chat = [
  { role: 'user', content: 'What is the weather in Paris?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'c1', content: '18 degrees and clear' },
  { role: 'assistant', content: [{ type: 'text', text: 'It is 18 degrees in Paris.' }] },
]
export const claude = [
  { type: 'file-history-snapshot', messageId: 'm-0' },
  {
    type: 'user',
    uuid: 'u-1',
    sessionId: 's-1',
    timestamp: '2026-01-05T10:00:00Z',
    message: { content: 'Fix it' },
  },
  {
    type: 'assistant',
    uuid: 'u-2',
    sessionId: 's-1',
    timestamp: '2026-01-05T10:00:01Z',
    cwd: '/repo',
    message: {
      role: 'assistant',
      content: [
        {
          type: 'thinking',
          thinking: 'hm',
        },
        {
          type: 'text',
          text: 'Running the tests',
        },
        {
          type: 'tool_use',
          id: 't-1',
          name: 'Bash',
          input: { command: 'npm test' },
        },
      ],
    },
  },
  {
    type: 'user',
    uuid: 'u-3',
    sessionId: 's-1',
    timestamp: '2026-01-05T10:00:05Z',
    message: {
      content: [
        {
          type: 'tool_result',
          tool_use_id: 't-1',
          content: [
            {
              type: 'text',
              text: 'failed',
            },
          ],
          is_error: true,
        },
      ],
    },
  },
]
export const mem0 = {
  results: [
    {
      id: 'a1',
      memory: 'Prefers oolong tea',
      user_id: 'ada',
      created_at: '2025-07-01T10:00:00-07:00',
      metadata: {},
    },
  ],
}
const turn = (id: string, role: string, text: string, more: object = {}) => ({
  id,
  // Each answers the one whose name is a letter shorter.
  parent: id.slice(0, -1) || 'root',
  children: [],
  message: {
    id,
    author: { role },
    create_time: 17676e5 + id.length,
    recipient: 'all',
    content: {
      content_type: 'text',
      parts: [text],
    },
    ...more,
  },
})
export const chatGpt = [
  {
    title: 'Trip',
    create_time: 1767600000.5,
    conversation_id: 'c-1',
    current_node: 'aaaaa',
    mapping: {
      root: {
        id: 'root',
        parent: null,
        message: null,
      },
      a: turn('a', 'system', 'Be kind.'),
      aa: turn('aa', 'user', 'Describe my fjord photo'),
      aab: turn('aab', 'assistant', 'An answer that was made again'),
      aaa: turn('aaa', 'assistant', 'look()', { recipient: 'vision' }),
      aaaa: turn('aaaa', 'tool', 'cliffs, water'),
      aaaaa: turn('aaaaa', 'assistant', 'Cliffs over still water.'),
    },
  },
]
export const cPersona = [
  {
    _type: 'header',
    version: 'cpersona-export/1.0',
    agent_id: '',
    exported_at: '2026-03-24T00:00:00Z',
    memory_count: 2,
    episode_count: 1,
    has_profile: true,
  },
  {
    _type: 'memory',
    id: 1,
    agent_id: 'agent.sapphy',
    msg_id: 'm-1',
    created_at: '2026-03-01 09:00:00',
    content: 'The harbour crane is painted red',
    source: { User: 'ann' },
    timestamp: '',
  },
  {
    _type: 'memory',
    id: 2,
    agent_id: 'agent.sapphy',
    msg_id: '',
    metadata: '{"k":1}',
    content: 'Noted.',
    source: '{"Agent":"sapphy"}',
    timestamp: '2026-03-01T09:00:01+09:00',
  },
  {
    _type: 'episode',
    id: 1,
    agent_id: 'agent.sapphy',
    summary: 'They spoke of the crane.',
    keywords: 'crane harbour',
    start_time: '2026-03-01T09:00:00Z',
    end_time: null,
  },
  {
    _type: 'profile',
    agent_id: 'agent.sapphy',
    user_id: 'ann',
    content: '- home: Oslo\n- sails on Sundays',
    updated_at: '2026-03-02T00:00:00Z',
  },
]
export const keyed = {
  'mem:agent:karin:2026-02-01T10:00:00.123Z:9f8e': JSON.stringify({
    id: 'k-1',
    content: 'The lighthouse keeper retired',
    source: {
      type: 'User',
      id: 'u',
      name: 'Ann',
    },
    timestamp: '2026-02-01T10:00:00Z',
    metadata: { channel: 'x' },
  }),
  'mem:agent:karin:1769940001000:ab': { content: 'When?', source: 'user' },
  'settings:theme': 'dark',
}
export const note =
  '---\ntitle: Garden\n---\n# Beds\n\nTomatoes in the south bed.\n\n## Water\n\n```\n# not a heading\n```\nEvery evening.'
