// Reads the bucket, path, endpoint and credentials of a target from its address and the environment.
// Invariant: credentials come from the environment only, and are in no error.
import { DaybookError, invalidInput } from '../../../core/errors.ts'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface S3Place {
  /** URL without a slash at its end. Requests use `<endpoint>/<bucket>/<key>`. */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /** Path of the target in the bucket: empty, or it ends with `/`. */
  readonly prefix: string
  readonly credentials: S3Credentials
}

/** The used environment variables, with the names of S3 tools. */
export type S3Environment = Readonly<
  Partial<
    Record<
      | 'AWS_ACCESS_KEY_ID'
      | 'AWS_SECRET_ACCESS_KEY'
      | 'AWS_SESSION_TOKEN'
      | 'AWS_REGION'
      | 'AWS_DEFAULT_REGION'
      | 'AWS_ENDPOINT_URL_S3'
      | 'AWS_ENDPOINT_URL'
      | 'DAYBOOK_ARCHIVE',
      string | undefined
    >
  >
>

export interface S3Address {
  readonly bucket: string
  /** Path in the bucket, without a slash at either end; may be empty. */
  readonly path: string
}

/** S3's rules for names of buckets: 3 to 63 characters, and no two dots in a row. */
const bucketName = /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
/** Only characters that need no escaping in URLs, headers and XML. */
const pathText = /^[A-Za-z0-9!_.*'()-]+(?:\/[A-Za-z0-9!_.*'()-]+)*$/

/** Reads `s3://bucket/path`. Throws `invalid-input` for other texts. */
export function readS3Address(text: string): S3Address {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]*)(?:\/(.*?))?\/?$/s.exec(text) ?? []
  if (!bucketName.test(bucket)) throw invalidInput('target', 'It must look like `s3://bucket/path`')
  // A key has at most 1,024 bytes; the rest is for names below the path.
  const isPath =
    path === '' || (path.length <= 700 && pathText.test(path) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(path))
  if (!isPath)
    throw invalidInput(
      'target',
      "The path below the bucket may have letters, digits, `/` and `!_.*'()-` only",
    )
  return { bucket, path }
}

/**
 * Returns the bucket, region, endpoint and credentials for the address `target`. Throws `archive-off` if the environment
 * has no credentials, and `invalid-input` for wrong values.
 */
export function s3Place(target: string, env: S3Environment): S3Place {
  const { bucket, path } = readS3Address(target)
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || 'us-east-1'
  if (!/^[A-Za-z0-9-]{1,64}$/.test(region)) throw invalidInput('AWS_REGION', 'It is not a region name')
  return {
    bucket,
    prefix: path === '' ? '' : `${path}/`,
    region,
    endpoint: endpointOf(env, region),
    credentials: credentialsOf(env),
  }
}

function credentialsOf(env: S3Environment): S3Credentials {
  const accessKeyId = env.AWS_ACCESS_KEY_ID?.trim()
  const secretAccessKey = env.AWS_SECRET_ACCESS_KEY?.trim()
  if (!accessKeyId || !secretAccessKey) {
    const path = accessKeyId ? 'AWS_SECRET_ACCESS_KEY' : 'AWS_ACCESS_KEY_ID'
    throw new DaybookError('archive-off', `\`${path}\` is not set.`, { details: { path } })
  }
  // Check this here: a line break in a header causes an error that quotes the header.
  if (!isHeaderText(accessKeyId) || !isHeaderText(env.AWS_SESSION_TOKEN ?? ''))
    throw invalidInput('AWS_ACCESS_KEY_ID', 'The credentials have invalid characters')
  return {
    accessKeyId,
    secretAccessKey,
    ...(env.AWS_SESSION_TOKEN ? { sessionToken: env.AWS_SESSION_TOKEN.trim() } : {}),
  }
}

const isHeaderText = (text: string) => /^[\x21-\x7e]*$/.test(text.trim())

function endpointOf(env: S3Environment, region: string): string {
  const name = env.AWS_ENDPOINT_URL_S3 ? 'AWS_ENDPOINT_URL_S3' : 'AWS_ENDPOINT_URL'
  const text = env[name]
  if (!text) return `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw invalidInput(name, 'It must be a URL, as in https://…')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw invalidInput(name, 'It must be a URL without user, password, query and fragment')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
