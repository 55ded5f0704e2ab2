// `daybook/otel`: adds spans to the memory operations of a book, by OpenTelemetry's conventions for generative AI.
// Invariant: by default a span contains no content of records, queries or errors. Calls and answers pass unchanged.
import type { Span, Tracer } from '@opentelemetry/api'
import type { BookCallOptions, Daybook } from '../../../book/daybook.ts'
import { defined } from '../../../core/defined.ts'
import { toDaybookError } from '../../../core/errors.ts'
import { adapterError } from '../adapter-error.ts'
import { type MemoryOperation, memoryVerbs, operationOf } from './memory-operation.ts'

export interface TracingOptions {
  /** A tracer of `@opentelemetry/api` or a compatible one. Undefined: no spans. */
  readonly tracer: Pick<Tracer, 'startActiveSpan'> | undefined
  /** Value of the attribute `gen_ai.memory.store.id`: your name of the memory. Default: absent. */
  readonly storeId?: string
  /**
   * Default: false. True: spans contain queries, records and error messages. These are personal data: inform your
   * users.
   */
  readonly captureContent?: boolean
}

type BookFunction = (input?: unknown, options?: BookCallOptions) => Promise<unknown>
type OperationTable = ReadonlyMap<string, { readonly id: string; readonly operation: MemoryOperation }>

const operationByMethod: OperationTable = new Map(
  memoryVerbs.flatMap(({ id, methods, operation }) =>
    methods.map((method) => [method, { id, operation }] as const),
  ),
)
const operationById: OperationTable = new Map(memoryVerbs.map(({ id, operation }) => [id, { id, operation }]))

/** `SpanKind.INTERNAL` and `SpanStatusCode.ERROR` as numbers: the API is imported as types only. */
const internalKind = 0
const errorStatus = 2

/**
 * Returns a copy of `book` with a span around each verb of `memoryVerbs`, also in its handles. A span has the name of
 * its operation (`search_memory`), the verb, the number of records, and the id of a single record. A failed call has
 * its code as `error.type`. The tracer decides the parent span. Closing the copy closes `book`. Throws
 * `invalid-input` for an invalid tracer.
 */
export function withTracing(book: Daybook, options: TracingOptions): Daybook {
  const { tracer } = options
  if (tracer === undefined) return book
  if (typeof tracer?.startActiveSpan !== 'function') {
    throw adapterError(
      'invalid-input',
      'A tracer has `startActiveSpan`: `trace.getTracer(name)` gives one.',
      {
        path: 'tracer',
      },
    )
  }
  const traced = copyWithWrappedFunctions(book, '', (verb, name) => {
    const operation = operationByMethod.get(name)
    return operation ? (input, call) => inSpan(operation, input, () => verb(input, call)) : verb
  })
  const inSpan = createSpanRunner(tracer, options)
  return Object.assign(traced, {
    call: (id: string, input?: unknown, call?: BookCallOptions) => {
      const operation = operationById.get(id)
      const run = () => book.call(id as never, input as never, call)
      return operation ? inSpan(operation, input, run) : run()
    },
    with: (settings: Parameters<Daybook['with']>[0]) => withTracing(book.with(settings), options),
  }) as unknown as Daybook
}

/**
 * Copies an object, and wraps each function in it. `prefix` begins the name that `wrap` gets, such as `records.get`.
 */
function copyWithWrappedFunctions(
  from: object,
  prefix: string,
  wrap: (verb: BookFunction, name: string) => BookFunction,
): object {
  const members = Reflect.ownKeys(from).map((key) => {
    const member = (from as Record<PropertyKey, unknown>)[key]
    const name = `${prefix}${String(key)}`
    if (typeof member === 'function') return [key, wrap(member as BookFunction, name)] as const
    const isNamespace = typeof member === 'object' && member !== null
    return [key, isNamespace ? copyWithWrappedFunctions(member, `${name}.`, wrap) : member] as const
  })
  return Object.fromEntries(members)
}

type VerbOperation = { readonly id: string; readonly operation: MemoryOperation }

function createSpanRunner(
  tracer: Pick<Tracer, 'startActiveSpan'>,
  { storeId, captureContent = false }: TracingOptions,
) {
  return (
    { id, operation: tableOperation }: VerbOperation,
    input: unknown,
    run: () => Promise<unknown>,
  ): Promise<unknown> => {
    const operation = operationOf(tableOperation, input)
    const attributes = {
      'gen_ai.operation.name': operation,
      'daybook.capability': id,
      ...defined({ 'gen_ai.memory.store.id': storeId }),
    }
    return tracer.startActiveSpan(operation, { kind: internalKind, attributes }, async (span) => {
      try {
        const answer = await run()
        if (span.isRecording()) setAnswerAttributes(span, { operation, input, answer, captureContent })
        return answer
      } catch (error) {
        const { code, message } = toDaybookError(error)
        span.setAttribute('error.type', code)
        span.setStatus({ code: errorStatus, message: captureContent ? message : code })
        throw error
      } finally {
        span.end()
      }
    })
  }
}

interface TracedCall {
  readonly operation: MemoryOperation
  readonly input: unknown
  readonly answer: unknown
  readonly captureContent: boolean
}

/** Separator in ids that contain a name. Names of documents and skills are content. */
const nameSeparator = '::'

function setAnswerAttributes(span: Span, { operation, input, answer, captureContent }: TracedCall): void {
  const found = recordsOf(answer)
  const [first] = found.length === 1 ? found : []
  const id = textAt(first, 'id') ?? textAt(input, 'id')
  const isSearch = operation === 'search_memory'
  span.setAttribute('gen_ai.memory.record.count', found.length)
  const showsId = captureContent || !id?.includes(nameSeparator)
  if (id !== undefined && showsId && found.length <= 1) span.setAttribute('gen_ai.memory.record.id', id)
  if (!captureContent) return
  const query = textAt(input, 'text') ?? textAt(input, 'query')
  if (isSearch && query !== undefined) span.setAttribute('gen_ai.memory.query.text', query)
  const records = isSearch ? found : operation.startsWith('delete') ? [] : [input]
  if (records.length > 0) span.setAttribute('gen_ai.memory.records', JSON.stringify(records))
}

/** Fields of answers that contain a list of records or results. */
const listNames = [
  'hits',
  'records',
  'items',
  'documents',
  'checkpoints',
  'messages',
  'memories',
  'episodes',
  'thoughts',
  'profiles',
  'results',
  'written',
  'ids',
]

/** Returns the records of an answer: its list, or the answer itself as a single record. */
function recordsOf(answer: unknown): readonly unknown[] {
  if (answer === null || answer === undefined) return []
  if (Array.isArray(answer)) return answer as readonly unknown[]
  const fields = answer as Readonly<Record<string, unknown>>
  const list = listNames.map((name) => fields[name]).find(Array.isArray) as readonly unknown[] | undefined
  if (list) return list.map((one) => (typeof one === 'string' ? { id: one } : (one as unknown)))
  const changedNothing = ['forgotten', 'purged', 'updated'].some((name) => fields[name] === false)
  return changedNothing ? [] : [answer]
}

function textAt(value: unknown, name: string): string | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return typeof found === 'string' ? found : undefined
}
