// `daybook/node`: what the package gives to programs in Node.
export { type NodeBookOptions, openDaybook } from './book/open-daybook.ts'
export { DaybookError, type ErrorCode, errorTable, isDaybookError } from '../../core/errors.ts'
export {
  type Answered,
  type MirrorServer,
  serveMirrors,
  type ServeMirrorsOptions,
} from './serve/serve-mirrors.ts'
export { type EmbedServer, serveEmbed, type ServeEmbedOptions } from './serve/serve-embed.ts'
export type { LlmOptions } from '../../memory/conversation/llm/llm-options.ts'
export type { EmbedderOptions } from '../../recall/embed/embedder-options.ts'
export type { BookEvents } from '../../core/capability/event.ts'
export type { CapabilityId, CapabilityInput, CapabilityOutput, Daybook } from '../../book/daybook.ts'
