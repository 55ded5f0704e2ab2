// `daybook/node`: the package's entry for programs in Node.
import './port/check-node.ts'
export { type NodeBookOptions, openDaybook } from './book/open-daybook.ts'
export { type BookInFolder, listBooks } from './book/list-books.ts'
export { DaybookClient, type NodeClientOptions } from './agent/node-client.ts'
export { createDirectTransport } from '../../doors/p3394/direct-transport.ts'
export { createSocketTransport, type SocketWay } from './agent/socket-transport.ts'
export { createStdioTransport, type StdioWay } from './agent/stdio-transport.ts'
export type {
  AgentManifest,
  AgentReply,
  AgentRequest,
  AgentTransport,
  ClientOptions,
  Delivered,
  Registration,
  SendOptions,
  SubagentEntry,
  TransportType,
} from '../../doors/p3394/client.ts'
export { DaybookError, type ErrorCode, errorTable, isDaybookError } from '../../core/errors.ts'
export { type MirrorServer, serveMirrors } from './serve/serve-mirrors.ts'
export type { Answered, ServeMirrorsOptions } from './serve/serve-options.ts'
export { type KafkaOptions, openKafka } from './kafka/open-kafka.ts'
export type { KafkaConnection, KafkaState } from './kafka/carrier-state.ts'
export type { PoolCarrier, PoolCarrierHooks } from '../../core/pool.ts'
export { type EmbedServer, serveEmbed, type ServeEmbedOptions } from './serve/serve-embed.ts'
export type { LlmOptions } from '../../memory/conversation/llm/llm-options.ts'
export type { EmbedderOptions } from '../../recall/embed/embedder-options.ts'
export type { BookEvents } from '../../core/capability/event.ts'
export type { CapabilityId, CapabilityInput, CapabilityOutput, Daybook } from '../../book/daybook.ts'
