// The S3 endpoint of workerd's local R2, which checks signatures: each test file has its own, with buckets of its own.
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

export interface LocalS3 {
  /** What a process is to find in its environment to reach it. */
  readonly env: Readonly<
    Record<'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY' | 'AWS_REGION' | 'AWS_ENDPOINT_URL', string>
  >
  /** A bucket there is, one more each time. */
  bucket(): string
  dispose(): Promise<void>
}

export async function startLocalS3(count = 12): Promise<LocalS3> {
  const credentials = {
    accessKeyId: 'daybookarchivetestkey',
    secretAccessKey: 'a/secret+that-is-nobodys-0123456789',
  }
  const names = Array.from({ length: count }, (_, i) => `archives-${i}`)
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: 'export default { fetch: () => new Response() }',
      compatibilityDate: '2026-08-01',
      r2Buckets: Object.fromEntries(names.map((id, i) => [`B${i}`, { id, s3Credentials: credentials }])),
    }),
  )
  const url = await worker.ready
  return {
    env: {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_REGION: 'auto',
      AWS_ENDPOINT_URL: new URL('/cdn-cgi/local/r2/s3', url).href,
    },
    bucket() {
      const name = names.pop()
      if (name === undefined) throw new Error('There are no more buckets: ask for more of them.')
      return name
    },
    dispose: () => worker.dispose(),
  }
}
