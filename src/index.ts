// The public browser API of Daybook.
export { openDaybook, type OpenOptions } from './hosts/browser/page/open-daybook.ts'
export { type ListedBook, listBooks } from './hosts/browser/page/list-books.ts'
export { localNetwork, type LocalNetworkState } from './hosts/browser/port/local-network.ts'
export {
  builtInModel,
  type DownloadOptions,
  type ModelAvailability,
} from './hosts/browser/model/built-in-model.ts'
export type { BrowserLlmOptions, ModelLanguages } from './hosts/browser/worker-message.ts'
export type {
  BookCallOptions,
  BookMembers,
  CapabilityId,
  CapabilityInput,
  CapabilityOutput,
  Daybook,
  FactOf,
  HandleOptions,
  Hit,
  Live,
  LiveData,
  LiveMethod,
  LiveObservable,
  LiveObserver,
  LiveQuery,
  LiveSnapshot,
  ModelTools,
  OfferedTools,
  OfferOptions,
  RecordKind,
  RecordOf,
  ToolAnswer,
  ToolFormat,
  ToolOptions,
  ToolSetName,
  ToolShapes,
} from './book/daybook.ts'
export type { EmbedStatus, Status, SyncResult, SyncState } from './core/capability/status.ts'
export type { RecallHit, RecallResult } from './core/capability/port/recall-port.ts'
export { DaybookError, type ErrorCode, errorTable, isDaybookError } from './core/errors.ts'
export type { EmbedderOptions } from './recall/embed/embedder-options.ts'
export type { BookEvents } from './core/capability/event.ts'
export type { Filters } from './core/filter/filter.ts'
export type { FactSchema, TokenType, TraceCategory } from './memory/kstar/definition.ts'
export type { Fact } from './memory/kstar/fact-kind.ts'
export type { Perception } from './memory/kstar/perception.ts'
export type { Skill } from './memory/kstar/skill-schema.ts'
export type { Trace } from './memory/kstar/trace-kind.ts'
