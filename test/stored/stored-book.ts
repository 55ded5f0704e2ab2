// What a stored book of an earlier schema holds, as the code of its time wrote it.

export interface StoredBook {
  /** Of the schema. */
  readonly version: number
  /** The capabilities that made it. */
  readonly made: readonly string[]
  /** Changes that no mirror has acknowledged. */
  readonly pending: number
  /** Earlier versions of records. */
  readonly history: number
  readonly records: readonly {
    readonly id: string
    readonly kind: string
    readonly body: Readonly<Record<string, unknown>>
  }[]
}
