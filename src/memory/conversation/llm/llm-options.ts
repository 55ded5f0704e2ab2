// What a user says about the language model when a book is opened, on any host.
import { DaybookError } from '../../../core/errors.ts'
import type { Llm, Scheduler } from '../../../core/ports.ts'
import { createHttpLlm, type HttpLlmOptions, type WebPlatform } from './http-llm.ts'

/** No model, or one behind an OpenAI-compatible endpoint. */
export type LlmOptions = { readonly provider: 'none' } | ({ readonly provider: 'api' } & HttpLlmOptions)

/** The model that `options` name, undefined for none; `invalid-input` for what is no model. */
export function createLlm<Signal>(
  options: LlmOptions | undefined,
  host: { web: WebPlatform<Signal>; scheduler: Scheduler },
): Llm | undefined {
  if (options === undefined || options.provider === 'none') return undefined
  if (options.provider === 'api') return createHttpLlm(options, host)
  throw unknownProvider(options)
}

/** For a provider that this host has not. */
export function unknownProvider({ provider }: { readonly provider: unknown }): DaybookError {
  const message = `\`llm.provider\`: there is no \`${String(provider).slice(0, 80)}\` here.`
  return new DaybookError('invalid-input', message, { details: { path: 'llm.provider' } })
}
