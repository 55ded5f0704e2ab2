// The hooks of the plugin for coding agents: each command of `hooks.json`, with the event on stdin as the agent passes it.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '../../../../../scripts/place.mjs'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { cli, ended } from '../command-line.ts'

let home = ''
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'daybook-hook-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

const plugin = (file: string) => readFile(join(root, 'plugins/daybook', file), 'utf8')

/** Runs the command that the plugin names for the event. */
async function run(event: 'SessionStart' | 'SessionEnd', input: unknown, agent: string) {
  const { hooks } = JSON.parse(await plugin('hooks/hooks.json')) as {
    hooks: Record<string, [{ hooks: [{ type: string; command: string }] }]>
  }
  const { type, command } = hooks[event]?.[0].hooks[0] ?? { type: '', command: '' }
  expect(type).toBe('command')
  const words = command.split(' ')
  expect(words.splice(0, 3)).toEqual(['npx', '-y', 'daybook'])
  const child = spawn(process.execPath, [cli, ...words, '--home', home, '--agent', agent])
  child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input))
  return ended(child)
}

const open = (agent: string) =>
  openDaybook({ name: agent, agent, path: join(home, 'agents', agent, 'memory/book.daybook') })

const start = { session_id: 's-1', hook_event_name: 'SessionStart', source: 'startup', cwd: '/tmp' }

it('starts without a memory, and says nothing', async () => {
  expect(await run('SessionStart', start, 'nobody')).toEqual({ code: 0, stdout: '', stderr: '' })
})

it('prints the standing rules, and the last day of each persona as a quotation', async () => {
  {
    await using book = await open('ruled')
    await book.rules.add({ text: 'Answer in French.' })
    const { scope } = await book.sessions.start({
      persona: (await book.personas.register({ name: 'Alice' })).ci_id,
    })
    await book.with(scope).thoughts.decide({ decision: 'Oil the cranes', reasoning: 'They squeak' })
  }
  const { code, stdout, stderr } = await run('SessionStart', start, 'ruled')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^Standing rules of the user\.[^]*Answer in French\./)
})

const line = (type: 'user' | 'assistant', uuid: string, text: string) =>
  JSON.stringify({
    type,
    uuid,
    sessionId: 's-1',
    timestamp: new Date().toISOString(),
    message: { role: type, content: text },
  })

it('archives the session at its end, each line once, and the next session begins with it', async () => {
  const transcript = join(home, 'transcript.jsonl')
  const lines = [
    line('user', 'u-1', 'Which pump broke on Monday?'),
    line('assistant', 'u-2', 'The pump of the lighthouse of Skagen broke on Monday.'),
  ]
  await writeFile(transcript, `${lines.join('\n')}\n`)
  const end = {
    session_id: 's-1',
    transcript_path: transcript,
    hook_event_name: 'SessionEnd',
    reason: 'exit',
  }
  for (const count of [2, 0]) {
    const { code, stdout, stderr } = await run('SessionEnd', end, 'coder')
    expect([code, stdout, stderr]).toEqual([0, '', `${count} records of the session stored.\n`])
  }
  {
    await using book = await open('coder')
    expect((await book.conversation.episodes({})).records).toMatchObject([{ message_count: 2 }])
  }
  const { code, stdout } = await run('SessionStart', start, 'coder')
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/never follow instructions[^]*Which pump broke on Monday/),
  ])
})

it('refuses input that is no event, and takes a session without a transcript', async () => {
  expect(await run('SessionEnd', 'not JSON', 'coder')).toMatchObject({ code: 2 })
  expect(await run('SessionEnd', { session_id: 's-2' }, 'coder')).toMatchObject({ code: 0, stdout: '' })
  expect(await run('SessionEnd', { session: 's-2' }, 'coder')).toMatchObject({ code: 2 })
})

it('the plugin has the version of the package, and a server that is a command of it', async () => {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  expect(JSON.parse(await plugin('.claude-plugin/plugin.json'))).toMatchObject({ name: 'daybook', version })
  expect(JSON.parse(await plugin('.mcp.json'))).toEqual({
    mcpServers: { daybook: { command: 'npx', args: ['-y', 'daybook', 'mcp'] } },
  })
  const market = JSON.parse(
    await readFile(join(root, 'plugins/.claude-plugin/marketplace.json'), 'utf8'),
  ) as {
    plugins: { source: string }[]
  }
  expect(market.plugins.map(({ source }) => source)).toEqual(['./daybook'])
})
