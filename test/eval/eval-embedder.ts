// The embedder that a command line asks for. A key comes from the environment, where no list of processes shows it.
import { readFileSync } from 'node:fs'
import type { EmbedderOptions } from '../../src/hosts/node/index.ts'
import { readMeaningTable } from '../../src/recall/embed/meaning/meaning-table.ts'
import { parseEmbedderOptions } from '../../src/recall/embed/embedder-options.ts'

export interface EmbedFlags {
  readonly embedder: string
  readonly 'embed-url'?: string | undefined
  readonly 'embed-model'?: string | undefined
  readonly 'embed-path'?: string | undefined
  readonly 'embed-dtype'?: string | undefined
  readonly 'embed-pooling'?: string | undefined
}

/** Throws what is wrong with it. */
export function embedderOf(flags: EmbedFlags, key: string | undefined): EmbedderOptions {
  const { embedder: provider, 'embed-url': url, 'embed-model': model } = flags
  const waits = { questionDeadlineMs: 6e4 }
  const far = { url, model, key, ...waits }
  const local = {
    model,
    path: flags['embed-path'],
    dtype: flags['embed-dtype'],
    pooling: flags['embed-pooling'],
    ...waits,
  }
  const table = () => ({ path: flags['embed-path'], model: tableName(flags), ...waits })
  const wanted: Readonly<Record<string, object>> = {
    http: far,
    api: far,
    local,
    lsa: waits,
    meaning: provider === 'meaning' ? table() : {},
  }
  const given = { provider, ...wanted[provider] }
  const options = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== ''),
  ) as unknown as EmbedderOptions
  return parseEmbedderOptions(options) ?? { provider: 'none' }
}

/** The name in a table's file, so that any table can be measured. */
const tableName = ({ 'embed-path': path, 'embed-model': model }: EmbedFlags) =>
  model ?? (path === undefined ? undefined : readMeaningTable(new Uint8Array(readFileSync(path))).name)
