// What `daybook <command> --help` says, of every command, and how long `daybook send` waits.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ended, startDaybook } from '../command-line.ts'

let home = ''
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'daybook-help-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

const run = (...args: string[]) => ended(startDaybook(args))

/** Of every command: what it takes, and its own options with what each takes. */
const commands: Readonly<Record<string, readonly [operands: string, options: string]>> = {
  'export-memory': [
    '',
    '--output -o <file>, --from <date>, --to <date>, --types <list>, --encrypt, --passphrase-file <file>, --include-tokens, --include-sensitive, --without-sensitive, --sign',
  ],
  'import-memory': [
    '',
    '--from <file>, --types <list>, --replace, --dry-run, --passphrase-file <file>, --signed-by <key>, --include-tokens, --allow-incomplete, --format <name>',
  ],
  'verify-bundle': ['<bundle>', '--passphrase-file <file>, --signed-by <key>'],
  archive: [
    '<put | list | verify <archive>>',
    '--target <s3://…>, --from <date>, --to <date>, --types <list>, --passphrase-file <file>, --without-sensitive, --sign, --keep <n>, --days <n>, --limit <n>, --signed-by <key>',
  ],
  remember: ['<text> | -', '--about <subject>, --from <date>, --until <date>, --as <kind>'],
  store: ["<kind> '<JSON>' | @<file> | -", '--request-id <id>, --replace'],
  forget: ['<id>', '--cascade'],
  recall: [
    '<question>',
    '--limit <n>, --want <sort>, --types <list>, --session <name>, --resource <name>, --words, --embedder <name>',
  ],
  query: ['[<filters as JSON>]', '--type <kind>, --order <path>, --limit <n>, --cursor <cursor>'],
  stats: ['', ''],
  proposals: ['', '--status <state>, --limit <n>, --cursor <cursor>'],
  approve: ['<id>', '--despite-hidden'],
  reject: ['<id>', '--reason <text>'],
  edit: ['<id> <text>', '--despite-hidden'],
  sync: ['', '--edge <url>, --at <name>, --direction <d>'],
  'dead-letters': ['[<id of a record> …]', '--retry'],
  send: [
    '<agent> <capability>',
    "--content '<JSON>' | @<file> | -, --request-id <id>, --timeout <s>, --transport <name>, --url <url>, --at <name>, --socket <path>",
  ],
  'create-key': [
    '<name>',
    '--edge <url>, --book <name>, --owner, --permissions <list>, --scope <scope>, --holder <name>, --push <list>, --pull <list>, --expires <time>',
  ],
  'list-keys': ['', '--edge <url>, --book <name>, --cursor <cursor>'],
  'revoke-key': ['<id>', '--edge <url>, --book <name>'],
  mcp: [
    '[call <tool>]',
    "--tools <sets>, --token <id>, --arg <name>=<JSON>, --args '<JSON>' | @<file> | -, --words, --embedder <name>",
  ],
  hook: ['<session-start | session-end>', ''],
  embed: ['', '--embedder <name>, --port <n>'],
  serve: [
    '',
    '--host <name>, --port <n>, --behind-proxy, --database-ca <file>, --connections <n>, --origins <list>, --book <name>, --quiet',
  ],
  kafka: [
    '',
    '--brokers <list>, --group <name>, --prefix <name>, --consumer-group <name>, --create-topics, --partitions <n>, --replicas <n>, --edge <url>, --at <name>, --health <port>, --every <seconds>',
  ],
  'export-keys': ['<file>', '--passphrase-file <file>'],
  'import-keys': ['<file>', '--passphrase-file <file>'],
  'rotate-keys': ['', ''],
  erase: ['', '--confirm <name>, --edge <url>, --at <name>'],
  'start-over': ['', '--confirm <name>, --edge <url>, --at <name>'],
  assets: ['<folder>', ''],
  doctor: ['', '--url <url>, --at <name>, --file <file>'],
  completion: ['bash | zsh | fish', ''],
}
const shared = '--home <folder>, --agent <name>, --unlock-file <file>, --json, --yes -y, --help -h'

describe('help', () => {
  it('names every command', async () => {
    const { code, stdout, stderr } = await run('--help')
    const names = [...stdout.matchAll(/^ {2}([a-z][a-z-]+) {2,}\S/gm)].map(([, name]) => name)
    expect([code, stderr]).toEqual([0, ''])
    expect(names).toEqual(Object.keys(commands))
    for (const flag of ['-h', 'help']) expect((await run(flag)).stdout).toBe(stdout)
  })

  it.each(Object.entries(commands))('of %s says what it takes, in columns', async (name, [operands, own]) => {
    const { code, stdout, stderr } = await run(name, '--help')
    expect([code, stderr]).toEqual([0, ''])
    const [usage, , summary, , ...rows] = stdout.trimEnd().split('\n')
    expect(usage).toBe(['daybook', name, operands, '[options]'].filter(Boolean).join(' '))
    expect(summary).toMatch(/^[A-Z].*\.$/)
    const found = rows.map((row) => /^ {2}(--.*?) {2,}(\S.*)$/.exec(row)?.slice(1) ?? [row])
    const file = own.includes('--book <name>') ? '' : '--book <file>'
    expect(found.map(([option]) => option).join(', ')).toBe([own, file, shared].filter(Boolean).join(', '))
    expect(await run('help', name)).toEqual({ code, stdout, stderr })
    // Whatever else is said, it is only asked for help.
    expect((await run(name, 'too', 'many', 'words', '-h')).stdout).toBe(stdout)
  })
})

const listening = async (server: Server, at: string | number) => {
  await new Promise<void>((resolve) => server.listen(at, resolve))
  return server.address()
}

describe('send --timeout', () => {
  it.each([['0'], ['86401'], ['1.5'], ['-1'], ['soon'], ['']])('does not take `%s`', async (seconds) => {
    const asked = await run('send', 'kstar-memory', 'daybook:status', `--timeout=${seconds}`, '--home', home)
    expect(asked).toMatchObject({ code: 2, stdout: '' })
    expect(asked.stderr).toContain('--timeout takes a whole number from 1 to 86400')
  })

  it('ends the wait for an agent that never answers, over a socket and over HTTP', async () => {
    const path = join(home, 'silent.sock')
    const socket = createServer((line) => line.on('error', () => undefined))
    const http = createHttpServer(() => undefined)
    await listening(socket, path)
    const { port } = (await listening(http, 0)) as AddressInfo
    try {
      for (const way of [
        ['--socket', path],
        ['--url', `http://127.0.0.1:${port}`],
      ]) {
        const { code, stdout, stderr } = await run('send', 'other', 'say:hello', '--timeout', '1', ...way)
        expect([code, stdout]).toEqual([1, ''])
        expect(stderr).toMatch(/^deadline-exceeded: /)
      }
    } finally {
      socket.close()
      http.closeAllConnections()
      http.close()
    }
  })
})

describe('serve', () => {
  it.each([
    ['DAYBOOK_RATE', 'off', '2000/20'],
    ['DAYBOOK_A2P_RATE', 'off', '60/1000'],
    ['DAYBOOK_DID', 'alice', 'did:a2p:user:example:alice=alice'],
    ['DAYBOOK_A2P_AUDIENCE', 'memory.example.org', 'https://memory.example.org'],
  ])('says what is wrong with $%s=%s before it asks for the database', async (name, value, right) => {
    const env = { ...process.env, DAYBOOK_DATABASE_URL: 'postgres://127.0.0.1:1/none', [name]: value }
    const { code, stdout, stderr } = await ended(startDaybook(['serve'], { env }))
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`invalid-input: \`${name}\` must look like \`${right}\``)
  })
})
