// `daybook serve`: mirrors of many books for their devices, stored in PostgreSQL.
// Invariant: secrets come from the environment; neither secrets nor the database's address are printed.
import { checkBookName } from '../../../core/book.ts'
import { serveMirrors as serve } from '../serve/serve-mirrors.ts'
import { type Command, numberOf, textOf, UsageError } from './command.ts'

/** Environment variables that are passed to the server as settings: those of `EdgeSettings` (serve-options.ts). */
const edgeSettings = [
  'DAYBOOK_JWKS_URL',
  'DAYBOOK_JWT_ISSUER',
  'DAYBOOK_JWT_AUDIENCE',
  'DAYBOOK_JWT_ALGORITHMS',
  'DAYBOOK_JWT_BOOK',
  'DAYBOOK_RATE',
  'DAYBOOK_GUEST_QUOTA',
  'DAYBOOK_GUESTS_QUOTA',
  'DAYBOOK_DID',
  'DAYBOOK_A2P_AUDIENCE',
  'DAYBOOK_A2P_RATE',
  'DAYBOOK_BOOK',
  'DAYBOOK_EMBED_KEY',
  'DAYBOOK_EMBED_URL',
  'DAYBOOK_EMBED_MODEL',
  'DAYBOOK_EMBED_PROVIDER',
  'DAYBOOK_LLM_MODEL',
  'DAYBOOK_LLM_URL',
  'DAYBOOK_LLM_KEY',
]

const openWarning =
  'Warning: DAYBOOK_KEY is not set, so every program of this machine can open every book with the key `development`, and so can pages that --origins names.'

export const serveMirrors: Command = {
  name: 'serve',
  summary: 'Serves the sync of devices, with their books in PostgreSQL. Ends with SIGTERM or Ctrl-C.',
  operands: '',
  options: {
    host: { type: 'string' },
    port: { type: 'string' },
    'behind-proxy': { type: 'boolean' },
    'database-ca': { type: 'string' },
    connections: { type: 'string' },
    origins: { type: 'string' },
    book: { type: 'string' },
    quiet: { type: 'boolean' },
  },
  help: {
    host: '<name>    address to listen on, default 127.0.0.1 (or $HOST)',
    port: '<n>       port to listen on, default 8787 (or $PORT); 0 for any free port',
    'behind-proxy': 'a proxy in front speaks HTTPS and sets X-Forwarded-Proto',
    'database-ca': '<file>  CA certificate that verifies the database',
    connections: '<n>  most connections to the database, default 10',
    origins: '<list>  origins of pages that may call, separated by blanks (or $DAYBOOK_ORIGINS)',
    book: '<name>    the book for P3394 messages that name none (or $DAYBOOK_BOOK)',
    quiet: '        do not log requests',
  },
  async run({ values, terminal, signal }) {
    const { env } = process
    const database = env['DAYBOOK_DATABASE_URL']
    if (!database) throw new UsageError('$DAYBOOK_DATABASE_URL is not set: it is the address of the database')
    const book = textOf(values, 'book')
    const isQuiet = values['quiet'] === true
    const server = await serve({
      database,
      databaseCa: textOf(values, 'database-ca') ?? env['DAYBOOK_DATABASE_CA'],
      listenDatabase: env['DAYBOOK_DATABASE_LISTEN_URL'],
      connections: numberOf(values, 'connections', 1, 1000) ?? 10,
      host: textOf(values, 'host') ?? env['HOST'] ?? '127.0.0.1',
      port: numberOf({ port: textOf(values, 'port') ?? env['PORT'] }, 'port', 0, 65_535) ?? 8787,
      key: env['DAYBOOK_KEY'],
      behindProxy: values['behind-proxy'] === true,
      origins: textOf(values, 'origins') ?? env['DAYBOOK_ORIGINS'],
      settings: {
        ...Object.fromEntries(
          edgeSettings.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
        ),
        ...(book === undefined ? {} : { DAYBOOK_BOOK: checkBookName(book) }),
      },
      ...(isQuiet
        ? {}
        : {
            onAnswer: (answer) => terminal.note(JSON.stringify({ at: new Date().toISOString(), ...answer })),
          }),
    })
    if (!env['DAYBOOK_KEY']) terminal.note(openWarning)
    terminal.answer({ url: server.url }, `Listening on ${server.url}`)
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await server.close()
  },
}
