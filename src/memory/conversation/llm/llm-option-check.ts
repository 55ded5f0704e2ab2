// Checks of the `llm` option when a book is opened. This file imports no model, because a page need not load one.
import {
  anyOption,
  flagOption,
  keyOption,
  numberOption,
  type OptionCheck,
  optionsOf,
  variantOption,
} from '../../../core/option-check.ts'
import type { LlmOptions } from './llm-options.ts'

/** Checks of `llm` by provider; a host adds its own providers. `createHttpLlm` checks `url`, `model` and the key's text. */
export const llmOptionChecks: Readonly<Record<LlmOptions['provider'], OptionCheck>> = {
  none: optionsOf<Extract<LlmOptions, { provider: 'none' }>>({ provider: anyOption }),
  api: optionsOf<Extract<LlmOptions, { provider: 'api' }>>({
    provider: anyOption,
    url: anyOption,
    model: anyOption,
    key: keyOption,
    // Least and greatest value.
    deadlineMs: numberOption(1, 600_000),
    limitChars: numberOption(100, 10_000_000),
    sensitive: flagOption,
  }),
}
export const llmOption = variantOption('provider', llmOptionChecks)
