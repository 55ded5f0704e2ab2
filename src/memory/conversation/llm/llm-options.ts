// The `llm` option of a book, on any host.
import { DaybookError } from '../../../core/errors.ts'
import type { Llm, Scheduler } from '../../../core/ports.ts'
import { createHttpLlm, type HttpLlmOptions, type WebPlatform } from './http-llm.ts'

/** No model, or one behind an OpenAI-compatible endpoint. */
export type LlmOptions = { readonly provider: 'none' } | ({ readonly provider: 'api' } & HttpLlmOptions)

/** Makes the model that `options` name; undefined for none. Throws `invalid-input` for an unknown provider. */
export function createLlm<Signal>(
  options: LlmOptions | undefined,
  host: { web: WebPlatform<Signal>; scheduler: Scheduler },
): Llm | undefined {
  if (options === undefined || options.provider === 'none') return undefined
  if (options.provider === 'api') return createHttpLlm(options, host)
  throw unknownProvider(options)
}

/** The error for a provider that this host doesn't have. */
export function unknownProvider({ provider }: { readonly provider: unknown }): DaybookError {
  const message = `\`llm.provider\`: this host has no provider \`${String(provider).slice(0, 80)}\`.`
  return new DaybookError('invalid-input', message, { details: { path: 'llm.provider' } })
}
