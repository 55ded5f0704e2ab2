// The models of `meaning` that are in use: all books of a host with the same table share one, which needs 12 MB.
// Invariant: only books hold a model; without one, its memory is free.
import type { MeaningModel } from './meaning-model.ts'
import type { TableHost } from './table-host.ts'

export interface TableChoice {
  readonly url?: string | undefined
  readonly path?: string | undefined
  /** The name that the table must have. */
  readonly model: string
}

/** By host: its models, by `keyOf`. */
const modelsByHost = new WeakMap<TableHost, Map<string, WeakRef<MeaningModel>>>()

const keyOf = ({ url, path, model }: TableChoice) => JSON.stringify([url, path, model])

/** The model of the table, if a book uses it. */
export function sharedModel(host: TableHost, choice: TableChoice): MeaningModel | undefined {
  return modelsByHost.get(host)?.get(keyOf(choice))?.deref()
}

export function shareModel(host: TableHost, choice: TableChoice, model: MeaningModel): MeaningModel {
  const models = modelsByHost.get(host) ?? new Map<string, WeakRef<MeaningModel>>()
  modelsByHost.set(host, models.set(keyOf(choice), new WeakRef(model)))
  return model
}
