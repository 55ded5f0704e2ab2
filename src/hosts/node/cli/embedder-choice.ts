// The embedder that `--embedder` names, or the environment: Daybook's variables, then those of KS2.2 and its embedding server.
import { defined } from '../../../core/defined.ts'
import type { EmbedderOptions } from '../../../recall/embed/embedder-options.ts'
import { UsageError } from './command.ts'

export const embedderOption = { embedder: { type: 'string' } } as const
export const embedderHelp = {
  embedder: '<name>  meaning (default), none, lsa, local:<model>, api:<model> or the URL of a server',
}

/** An embedder as the variables of one specification describe it. */
interface Setting {
  readonly provider: string
  readonly url?: string | undefined
  readonly key?: string | undefined
  readonly model?: string | undefined
}

type Env = Readonly<Record<string, string | undefined>>

/** Models of the seeds have no publisher. */
const publisher = 'Xenova/'
const usualModels = { local: 'all-MiniLM-L6-v2', api: 'text-embedding-3-small' } as const

/** The chosen embedder. Undefined: nobody chose one. Throws `UsageError` for an unknown one. */
export function embedderChoice(name: string | undefined, env: Env): EmbedderOptions | undefined {
  const setting = name === undefined ? settingOf(env) : namedSetting(name, env)
  if (setting === undefined) return undefined
  const { provider, url, key, model } = setting
  switch (provider) {
    case 'none':
    case 'lsa':
    case 'meaning':
      return { provider }
    case 'http':
      if (url === undefined)
        throw new UsageError('An embedding server needs its address: set DAYBOOK_EMBED_URL')
      return { provider, url, ...defined({ key, model }) }
    case 'api':
      if (key === undefined) throw new UsageError('The embedding API needs its key: set DAYBOOK_EMBED_KEY')
      return { provider, key, model: model ?? usualModels.api, ...defined({ url }) }
    case 'local': {
      const wanted = model ?? usualModels.local
      return { provider, model: wanted.includes('/') ? wanted : `${publisher}${wanted}` }
    }
    default:
      throw new UsageError(
        `There is no embedder \`${provider.slice(0, 80)}\`; there are meaning, none, lsa, local, api and http`,
      )
  }
}

/** Reads `meaning`, `local:<model>`, `api:<model>` or an address. */
function namedSetting(name: string, { DAYBOOK_EMBED_KEY: key, DAYBOOK_EMBED_URL: url }: Env): Setting {
  if (/^https?:\/\//i.test(name)) return { provider: 'http', url: name, key: key || undefined }
  const [, provider = '', model] = /^([^:]*)(?::(.+))?$/s.exec(name) ?? []
  return { provider, model, key: key || undefined, url: url || undefined }
}

function settingOf(env: Env): Setting | undefined {
  const value = (name: string) => env[name] || undefined
  const group = (prefix: string) => ({
    url: value(`${prefix}_URL`),
    key: value(`${prefix}_KEY`),
    model: value(`${prefix}_MODEL`),
  })
  const own = group('DAYBOOK_EMBED')
  const implied = own.key ? 'api' : own.url ? 'http' : own.model && 'local'
  const provider = value('DAYBOOK_EMBED_PROVIDER') ?? implied
  if (provider !== undefined) return { ...own, provider }
  const mode = value('KS22_EMBEDDING_MODE')
  const api = group('KS22_EMBEDDING_API')
  const model = value('KS22_EMBEDDING_MODEL')
  if (mode === 'http') return { provider: mode, url: value('KS22_EMBEDDING_URL') }
  // Its default model is one of a machine.
  if (mode !== undefined) return { ...api, provider: mode, model: mode === 'api' ? undefined : model }
  const server = value('EMBEDDING_PROVIDER')
  if (server === undefined) return undefined
  const serverModel = value('EMBEDDING_MODEL')
  if (server === 'onnx_miniml') return { provider: 'local', model: serverModel }
  return {
    ...group('EMBEDDING_API'),
    provider: server.startsWith('api_') ? 'api' : server,
    model: serverModel,
  }
}
