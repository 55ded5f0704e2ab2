// As much of the platform's binding to a bucket of R2 as archives need.

export interface BucketObject {
  readonly size: number
  readonly uploaded: Date
}

export interface BucketPart {
  readonly partNumber: number
  readonly etag: string
}

export interface BucketUpload {
  readonly uploadId: string
  uploadPart(number: number, bytes: Uint8Array<ArrayBuffer>): Promise<BucketPart>
  complete(parts: BucketPart[]): Promise<BucketObject>
  abort(): Promise<void>
}

export interface ArchiveBucket {
  head(key: string): Promise<BucketObject | null>
  get(key: string): Promise<(BucketObject & { readonly body: AsyncIterable<unknown> }) | null>
  /** Null where the condition does not hold. */
  put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    options: { readonly onlyIf: Headers },
  ): Promise<BucketObject | null>
  createMultipartUpload(key: string): Promise<BucketUpload>
  resumeMultipartUpload(key: string, upload: string): BucketUpload
  delete(key: string): Promise<void>
  list(options: { readonly prefix: string; readonly cursor?: string; readonly limit?: number }): Promise<{
    readonly objects: readonly (BucketObject & { readonly key: string })[]
    readonly truncated: boolean
    readonly cursor?: string
  }>
}
