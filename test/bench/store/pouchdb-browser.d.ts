// What of PouchDB is called here; the package has no types of its own.
declare module 'pouchdb-browser' {
  export default class PouchDB {
    constructor(name: string)
    put(document: object): Promise<unknown>
    bulkDocs(documents: readonly object[]): Promise<readonly object[]>
    query(view: string, options: object): Promise<{ rows: readonly unknown[] }>
    info(): Promise<{ doc_count: number }>
    /** Resolves when both have the same. */
    sync(remote: string, options: { batch_size: number }): Promise<unknown>
    close(): Promise<void>
  }
}
